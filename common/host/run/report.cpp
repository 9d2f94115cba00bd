#include "report.h"

#include "../support/system.h"
#include "../support/text.h"

namespace {

// Two columns: what, and the value.
std::string line(const char* what, const std::string& value) {
  return format("%-14s %s\n", what, value.c_str());
}

std::string device_text(const Device& device) {
  if (device.backend == Backend::emulator) {
    return format("%s, with the limits of %s", device.name.c_str(), device.arch.c_str());
  }
  return format(
      "%s, %s, %d SMs, %s L2; driver %s, CUDA %s, cuBLAS %s", device.name.c_str(),
      device.arch.c_str(), device.sm_count, as_bytes(device.l2_bytes).c_str(),
      device.driver.c_str(), device.cuda.c_str(), device.cublas.c_str());
}

// The fields in rows of up to 100 columns.
std::string config_lines(const ConfigDescription& config) {
  constexpr size_t width = 100;
  std::string text, row;
  bool any_overridden = false;
  for (const ConfigField& field : config.fields) {
    const std::string item = format(
        "%s=%lld%s", field.name.c_str(), static_cast<long long>(field.value),
        field.overridden ? "*" : "");
    any_overridden = any_overridden || field.overridden;
    if (15 + row.size() + 1 + item.size() > width) {
      text += line(text.empty() ? "config" : "", row);
      row.clear();
    }
    row += (row.empty() ? "" : " ") + item;
  }
  text += line(text.empty() ? "config" : "", row);
  if (any_overridden) text += line("", "* overridden on make's command line");
  return text;
}

std::string percent(double value, double of) { return format("%5.1f %%", 100 * value / of); }

bool at_power_limit(const Benchmark& result) {
  const std::optional<double>& power = result.stage.power_w;
  return power && result.power_limit_w && *power > 0.97 * *result.power_limit_w;
}

std::string peer_line(const char* name, const Timing& peer, const Timing& stage) {
  return format(
      "  %-34s %8.1f TFLOP/s   kernel at %s of it\n", name, peer.speed.median,
      percent(stage.speed.median, peer.speed.median).c_str());
}

// `text` with the value of a counter in place of each {name}.
std::string with_values(std::string text, const emulator::Counters& counters) {
  for (size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    text.replace(open, close + 1 - open, with_commas(emulator::value_of(counters, name)));
  }
  return text;
}

}  // namespace

std::string run_text(const ConfigDescription& config, const Device& device) {
  const std::string product = format(
      "C[%lld, %lld] = A[%lld, %lld] x B[%lld, %lld]^T, bf16 in, fp32 out", config.M, config.N,
      config.M, config.K, config.N, config.K);
  std::string text = line("stage", config.stage) + line("problem", product);
  if (!config.break_name.empty()) text += line("broken", "on purpose: " + config.break_name);
  text += line("device", device_text(device)) + config_lines(config);
  text += line(
      "launch",
      format(
          "%s of %lld threads, %s of shared memory each", counted(config.blocks(), "block").c_str(),
          config.threads(), as_bytes(config.smem_bytes).c_str()));
  if (device.registers) {
    text += line(
        "kernel", format(
                      "%d registers and %d spilled bytes per thread", *device.registers,
                      device.spill_bytes.value_or(0)));
  }
  return text;
}

std::string verification_text(const Options& options, const Verification& verification) {
  const char* unit = options.schedules > 0 ? "random schedules" : "launches";
  const std::string count =
      verification.launches > 1
          ? format(" in %s %s", with_commas(verification.launches).c_str(), unit)
          : "";
  if (!verification.passed) {
    const std::string wrong =
        verification.launches > 1
            ? format(
                  " (%s of %s %s)", with_commas(verification.wrong_launches).c_str(),
                  with_commas(verification.launches).c_str(), unit)
            : "";
    return wrapped(line("verification", "FAILED" + wrong + ": " + verification.fault), 15);
  }
  const std::string inputs = format(
      "inputs: %s, seed %llu", name_of(options.inputs),
      static_cast<unsigned long long>(options.seed));
  const std::string result = verification.exact
                                 ? "every bit equals the exact result" + count
                                 : format(
                                       "largest error %.2g of |a| |b|, tolerance %.2g",
                                       verification.max_rel_error, verification.tolerance) +
                                       count;
  return line("verification", "passed: " + result) +
         line("", inputs + "; reference: " + backend::reference_name());
}

std::string counters_text(const emulator::Counters& counters) {
  std::string text = "counters of one launch (the emulator models order, not time)\n";
  for (const emulator::CounterRow& row : emulator::counter_rows) {
    if (row.line.label == nullptr) continue;
    text += format(
        "  %-14s %14s %s\n", row.line.label, with_commas(counters.*row.value).c_str(),
        with_values(row.line.text, counters).c_str());
  }
  return text;
}

std::string replay_text(const ConfigDescription& config, const Options& options, uint64_t seed) {
  return line(
      "replay", format(
                    "./%s/run --schedule random --seed %llu --inputs %s", config.stage.c_str(),
                    static_cast<unsigned long long>(seed), name_of(options.inputs)));
}

std::string benchmark_text(const Options& options, const Device& device, const Benchmark& result) {
  const Timing& stage = result.stage;
  std::string text = format(
      "benchmark      median of %d runs in %zu rounds, in turn with its peers\n", stage.runs,
      stage.round_ms.size());
  text += line(
      "", format(
              "random inputs (%s); %s written between runs, which flushes the L2 (%s)",
              name_of(options.inputs), as_bytes(l2_flush_bytes).c_str(),
              as_bytes(device.l2_bytes).c_str()));
  text += format(
      "  %-34s %8.1f TFLOP/s   %.3f ms; 20 %% to 80 %% quantile: %.1f to %.1f TFLOP/s\n", "kernel",
      stage.speed.median, stage.ms, stage.speed.p20, stage.speed.p80);
  text += peer_line("cuBLAS, fp32 output (same work)", result.cublas, stage);
  text += peer_line("cuBLAS, bf16 output (torch.matmul)", result.cublas_bf16out, stage);
  text += peer_line("mma.sync on registers alone", result.mma_peak, stage);
  text += line(
      "conditions",
      format(
          "SM clock %s, power %s of %s, %s", or_unknown(stage.clock_mhz, "MHz").c_str(),
          or_unknown(stage.power_w, "W").c_str(), or_unknown(result.power_limit_w, "W").c_str(),
          or_unknown(result.temperature_c, "degrees Celsius").c_str()));
  if (at_power_limit(result)) {
    text +=
        line("", "the GPU is at its power limit, and slower for it: compare within one run only");
  }
  if (const std::string names = slowing_variables(); !names.empty()) {
    text += line("warning", names + " is set: the figures are not those of the kernel alone");
  }
  text += line(
      "", format(
              "mma.sync loop: %s, SM clock %s", result.mma_peak_shape.c_str(),
              or_unknown(result.mma_peak.clock_mhz, "MHz").c_str()));
  return text;
}
