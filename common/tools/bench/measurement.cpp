#include "measurement.h"

#include <cctype>

#include "../../host/support/csv.h"
#include "../../host/support/text.h"
#include "article.h"

namespace {

// NVML's bits, in the order of their weight. The idle bit and settings by a user are no throttling.
struct ThrottleReason {
  uint64_t bits;
  const char* text;
};
constexpr ThrottleReason throttle_reasons[] = {{0x4, "power cap"},          {0x20 | 0x40, "heat"},
                                               {0x8, "hardware slowdown"},  {0x80, "power brake"},
                                               {0x10, "sync boost"},        {0x200, "board limit"},
                                               {0x400, "reliability limit"}};

std::string label_of(const Measurement& measurement) {
  const std::string& name = measurement.contestant;
  const std::string preset = measurement.preset.empty() ? "" : ", preset " + measurement.preset;
  if (name == cublas_fp32) return "cuBLAS, fp32 output";
  if (name == cublas_bf16) return "cuBLAS, bf16 output";
  if (name == cublaslt_mma_sync) return "cuBLASLt, best mma.sync";
  if (name == cutlass_sm80) return "CUTLASS 2.x, best kernel";
  if (name == mma_sync_registers) return "mma.sync on registers";
  return name + preset;
}

std::string percent(const std::optional<double>& ratio) {
  return ratio ? format("%.1f %%", 100 * *ratio) : "";
}

std::string rounded(const std::optional<double>& value) {
  return value ? format("%.0f", *value) : "";
}

// The clock of the slowest contestant, and what held clocks down.
std::string throttle_warning(
    const Environment& environment,
    const std::vector<Measurement>& measurements) {
  uint64_t reasons = 0;
  std::optional<double> lowest;
  for (const Measurement& each : measurements) {
    reasons |= each.throttle_reasons;
    if (each.clock_mhz && (!lowest || *each.clock_mhz < *lowest)) lowest = each.clock_mhz;
  }
  const std::string why = throttle_text(reasons);
  const bool slow =
      lowest && environment.max_clock_mhz && *lowest < 0.97 * *environment.max_clock_mhz;
  if (why.empty() && !slow) return "";
  std::string text = "  warning: the GPU ran below its highest clock";
  if (lowest && environment.max_clock_mhz) {
    text += format(" (%.0f MHz of %.0f at the least)", *lowest, *environment.max_clock_mhz);
  }
  if (!why.empty()) text += ", because of: " + why;
  return text + "; compare figures of one run only\n";
}

std::string order_line(const std::vector<Measurement>& measurements, const std::string& preset) {
  const OrderCount count = count_ordered_rounds(measurements, preset);
  if (count.rounds == 0) return "";
  return format(
      "  each stage faster than the one before it: in %d of %d rounds%s%s\n", count.ordered,
      count.rounds, preset.empty() ? "" : ", preset ", preset.c_str());
}

// What CUTLASS leaves to be said of the last stage, the one that is meant to hold against it.
std::string cutlass_lines(
    const Environment& environment,
    const std::vector<Measurement>& measurements) {
  if (environment.cutlass_kernels == 0) return "";
  const Measurement* const cutlass = find_measurement(measurements, cutlass_sm80);
  if (cutlass == nullptr) {
    return format(
        "  CUTLASS is left out: none of its %zu kernels takes this size (K must be a multiple of 8 "
        "and N of 4)\n",
        environment.cutlass_kernels);
  }
  std::string text = format("  CUTLASS: %s\n", cutlass->config.c_str());
  for (const Measurement& each : measurements) {
    const auto ratio = speed_ratio(&each, cutlass);
    if (each.contestant.rfind("03_", 0) != 0 || !ratio) continue;
    const std::string preset = each.preset.empty() ? "" : ", preset " + each.preset;
    text += format("  03 / CUTLASS%s: %.3f\n", preset.c_str(), *ratio);
  }
  return text;
}

std::vector<std::string> presets_of(const std::vector<Measurement>& measurements) {
  std::vector<std::string> presets;
  for (const Measurement& each : measurements) {
    bool known = !each.is_stage();
    for (const std::string& preset : presets) known = known || preset == each.preset;
    if (!known) presets.push_back(each.preset);
  }
  return presets;
}

std::vector<CsvColumn> columns_of(
    const Environment& environment,
    const ProblemSize& size,
    const Measurement& row) {
  const std::string verified = row.verified ? (*row.verified ? "true" : "false") : "";
  return {
      {"date", csv_string(environment.date)},
      {"commit", csv_string(environment.commit)},
      {"kernel_hash", csv_string(row.kernel_hash)},
      {"stage", csv_string(row.contestant)},
      {"preset", csv_string(row.preset)},
      {"device", csv_string(environment.device)},
      {"arch", csv_string(environment.arch)},
      {"sms", std::to_string(environment.sms)},
      {"M", std::to_string(size.M)},
      {"N", std::to_string(size.N)},
      {"K", std::to_string(size.K)},
      {"config", csv_string(row.config)},
      {"inputs", csv_string(environment.inputs)},
      {"seed", std::to_string(environment.seed)},
      {"verified", verified},
      {"max_rel_error", csv_number(row.max_rel_error)},
      {"tolerance", csv_number(row.tolerance)},
      {"tflops", csv_number(row.speed.median)},
      {"tflops_p20", csv_number(row.speed.p20)},
      {"tflops_p80", csv_number(row.speed.p80)},
      {"ms", csv_number(row.ms)},
      {"rounds", std::to_string(row.round_ms.size())},
      {"runs", std::to_string(row.runs)},
      {"registers", csv_integer(row.registers)},
      {"spill_bytes", csv_integer(row.spill_bytes)},
      {"smem_bytes", csv_integer(row.smem_bytes)},
      {"clock_mhz", csv_number(row.clock_mhz)},
      {"power_w", csv_number(row.power_w)},
      {"temperature_c", csv_number(row.temperature_c)},
      {"throttle", csv_string(throttle_text(row.throttle_reasons))},
      {"max_clock_mhz", csv_number(environment.max_clock_mhz)},
      {"power_limit_w", csv_number(environment.power_limit_w)},
      {"dram_gb_s", csv_number(environment.dram_gb_s)},
      {"l2_bytes", std::to_string(environment.l2_bytes)},
      {"flush_bytes", std::to_string(environment.flush_bytes)},
      {"driver", csv_string(environment.driver)},
      {"cuda", csv_string(environment.cuda)},
      {"cublas", csv_string(environment.cublas)},
      {"instruction", csv_string(name_of(row.instruction))},
      {"kernel", csv_string(row.kernel)},
  };
}

}  // namespace

std::string size_text(const ProblemSize& size) {
  return format(
      "%lld x %lld x %lld", static_cast<long long>(size.M), static_cast<long long>(size.N),
      static_cast<long long>(size.K));
}

bool Measurement::is_stage() const {
  return !contestant.empty() && std::isdigit(static_cast<unsigned char>(contestant[0]));
}

const Measurement* find_measurement(
    const std::vector<Measurement>& measurements,
    const std::string& contestant,
    const std::string& preset) {
  for (const Measurement& each : measurements) {
    if (each.contestant == contestant && each.preset == preset) return &each;
  }
  return nullptr;
}

std::optional<double> speed_ratio(const Measurement* one, const Measurement* other) {
  if (one == nullptr || other == nullptr || !(other->speed.median > 0)) return std::nullopt;
  return one->speed.median / other->speed.median;
}

OrderCount count_ordered_rounds(
    const std::vector<Measurement>& measurements,
    const std::string& preset) {
  std::vector<const Measurement*> stages;
  for (const Measurement& each : measurements) {
    if (each.is_stage() && each.preset == preset) stages.push_back(&each);
  }
  OrderCount count = {0, 0};
  if (stages.size() < 2) return count;
  for (size_t round = 0; round < stages[0]->round_ms.size(); round++) {
    bool ordered = true;
    for (size_t i = 1; i < stages.size(); i++) {
      ordered = ordered && stages[i]->round_ms.at(round) < stages[i - 1]->round_ms.at(round);
    }
    count.rounds++;
    if (ordered) count.ordered++;
  }
  return count;
}

std::string throttle_text(uint64_t reasons) {
  std::string text;
  for (const ThrottleReason& reason : throttle_reasons) {
    if ((reasons & reason.bits) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  }
  return text;
}

std::string size_report(
    const Environment& environment,
    const ProblemSize& size,
    const std::vector<Measurement>& measurements) {
  const Measurement* const ceiling = find_measurement(measurements, mma_sync_registers);
  const Measurement* const best_lt = find_measurement(measurements, cublaslt_mma_sync);
  const Measurement* const fp32 = find_measurement(measurements, cublas_fp32);
  const Measurement* const bf16 = find_measurement(measurements, cublas_bf16);
  std::string text =
      size_text(size) + "\n" +
      format(
          "  %-32s %8s %8s %8s %9s   %9s %9s %9s %9s %6s %6s\n", "median TFLOP/s", "", "p20", "p80",
          "ms", "/ ceiling", "/ best Lt", "/ cu fp32", "/ cu bf16", "MHz", "W");
  for (const Measurement& each : measurements) {
    text += format(
        "  %-32s %8.1f %8.1f %8.1f %9.4f   %9s %9s %9s %9s %6s %6s\n", label_of(each).c_str(),
        each.speed.median, each.speed.p20, each.speed.p80, each.ms,
        percent(speed_ratio(&each, ceiling)).c_str(), percent(speed_ratio(&each, best_lt)).c_str(),
        percent(speed_ratio(&each, fp32)).c_str(), percent(speed_ratio(&each, bf16)).c_str(),
        rounded(each.clock_mhz).c_str(), rounded(each.power_w).c_str());
  }
  for (const std::string& preset : presets_of(measurements)) {
    text += order_line(measurements, preset);
    if (preset.empty()) continue;
    for (const Measurement& each : measurements) {
      if (!each.is_stage() || each.preset != preset) continue;
      const auto ratio = speed_ratio(find_measurement(measurements, each.contestant), &each);
      if (ratio) text += format("  default / preset, %s: %.3f\n", each.contestant.c_str(), *ratio);
    }
  }
  text += cutlass_lines(environment, measurements);
  for (const Measurement& each : measurements) {
    if (each.is_stage()) continue;
    text += format(
        "  %-32s %s: %s\n", label_of(each).c_str(), name_of(each.instruction),
        each.kernel.empty() ? "its kernel's name cannot be had" : each.kernel.c_str());
  }
  if (best_lt == nullptr) {
    text += "  no cuBLASLt algorithm is known by its kernel's name to use mma.sync\n";
  }
  return text + throttle_warning(environment, measurements);
}

std::string reproduction_report(
    const Environment& environment,
    const std::vector<Measurement>& measurements) {
  const Card* const card = find_card(environment.device, environment.sms);
  const Measurement* const torch = find_measurement(measurements, cublas_bf16);
  std::string text = format(
      "  %-32s %8s %9s %9s   %9s %9s\n", "TFLOP/s", "here", "vs cuBLAS", "ms", "article",
      "vs torch");
  for (const Measurement& each : measurements) {
    const std::optional<ArticleFigure> figure = published_figure(card, each.contestant);
    const std::optional<double> ratio = speed_ratio(&each, torch);
    const std::string versus =
        &each == torch || !ratio ? "" : format("%+.1f %%", 100 * (*ratio - 1));
    const std::string label = &each == torch ? "cuBLAS, bf16 out (torch.matmul)" : label_of(each);
    text += format(
        "  %-32s %8.2f %9s %9.3f   %9s %9s   %s MHz, %s W\n", label.c_str(), each.speed.median,
        versus.c_str(), each.ms, figure ? format("%.2f", figure->tflops).c_str() : "-",
        figure ? figure->versus_torch.c_str() : "", rounded(each.clock_mhz).c_str(),
        rounded(each.power_w).c_str());
  }
  text += format(
      "conditions     power limit %s W, SM clock up to %s MHz\n",
      rounded(environment.power_limit_w).c_str(), rounded(environment.max_clock_mhz).c_str());
  if (!published_figure(card, cublas_bf16)) {
    std::vector<std::string> measured;
    for (const Card& known : known_cards()) {
      if (published_figure(&known, cublas_bf16)) measured.push_back("an " + known.name);
    }
    text += format(
        "The article has no figures for %s: it measured %s.\n", environment.device.c_str(),
        listed(measured, " and ").c_str());
  } else {
    text += format(
        "The article's figures are for its own kernels on an %s; its percentages are as printed,\n"
        "and do not follow from its TFLOP/s. Its last kernel has a race: docs/race.md.\n",
        card->name.c_str());
  }
  return text +
         "Figures may differ: the article names neither the tile sizes nor the power limit, its\n"
         "torch.matmul is cuBLAS as its PyTorch chose it, and a GPU at its power limit slows down\n"
         "with every kernel that ran before. `make bench` interleaves, for figures to compare.\n";
}

std::string bench_csv_header() { return csv_header_of(columns_of({}, {}, {})); }

std::string bench_csv_row(
    const Environment& environment,
    const ProblemSize& size,
    const Measurement& measurement) {
  return csv_row_of(columns_of(environment, size, measurement));
}
