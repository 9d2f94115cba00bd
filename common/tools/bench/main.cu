// The benchmark of all stages and of what they are compared with: `make bench`, `make reproduce`.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>

#include "../../host/device/cuda_check.h"
#include "../../host/device/nvml.h"
#include "../../host/explain/cards.h"
#include "../../host/support/output_files.h"
#include "../../host/support/system.h"
#include "../../host/support/terminal.h"
#include "bench_kernel.h"
#include "bench_options.h"
#include "contest.h"
#include "measurement.h"
#include "peers.h"

namespace {

void print(const std::string& text) {
  clear_progress();
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

using Stages = std::vector<BenchStage>;

ProblemSize size_of(const MatmulKernel& kernel) {
  return {kernel.config.M, kernel.config.N, kernel.config.K};
}

// The kernels by size, in the order of their first appearance. Opens the device for each, and so
// refuses what this GPU cannot run before anything has been measured.
std::vector<Stages> stages_by_size(const BenchOptions& options) {
  std::vector<Stages> sizes;
  for (const MatmulKernel& kernel : bench_kernels()) {
    const auto same_size = [&](const Stages& known) {
      return size_text(size_of(known[0].kernel)) == size_text(size_of(kernel));
    };
    auto stages = std::find_if(sizes.begin(), sizes.end(), same_size);
    if (stages == sizes.end()) stages = sizes.emplace(stages);
    stages->push_back({kernel, open_device(options.run, kernel.config, kernel.function)});
  }
  if (sizes.empty()) throw Refusal("this program was built without a kernel: run make bench");
  return sizes;
}

// Peak of the memory, GB/s; nothing where the driver does not say.
std::optional<double> dram_gb_s(int device) {
  int khz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device) != cudaSuccess) {
    cudaGetLastError();
    return std::nullopt;
  }
  if (khz <= 0 || bits <= 0) return std::nullopt;
  return 2.0 * khz * 1e3 * bits / 8 * 1e-9;  // both edges of the clock carry data
}

// How it is measured, of what `options` ask for.
std::string protocol_text(const BenchOptions& options) {
  const std::string flushed = as_bytes(l2_flush_bytes);
  const auto seed = static_cast<unsigned long long>(options.order_seed);
  if (options.reproduce) {
    return format(
        "protocol       one contestant after the other, once; medians of single runs; %s written\n"
        "               before each, which flushes the L2\n",
        flushed.c_str());
  }
  if (options.curve) {
    return format(
        "protocol       the last stage for %.0f ms after %.0f s of each of the others, and after\n"
        "               rest; back to back, L2 warm; medians of %d repetitions; in each the order\n"
        "               is drawn anew, order seed %llu\n",
        curve_ms, curve_before_s, options.rounds, seed);
  }
  return format(
      "protocol       steady: each contestant runs until its SM clock has settled (two means over\n"
      "               %.0f ms within %.1f %%, after %.0f s at the least and %.0f at the most) and "
      "is\n"
      "               then timed, back to back: the L2 is as warm as that leaves it\n"
      "               cold: as do_bench of Triton, 25 ms of warm-up and 100 ms of single runs; %s\n"
      "               written before each, which flushes the L2\n"
      "order          drawn anew in each of %d rounds, order seed %llu; medians of rounds, and\n"
      "               their ratios; every result verified before and after\n",
      Settling::window_ms, 100 * Settling::agreement, Settling::least_ms * 1e-3,
      Settling::most_ms * 1e-3, flushed.c_str(), options.rounds, seed);
}

std::string header_text(
    const Environment& environment,
    const BenchOptions& options,
    const Nvml& nvml) {
  const Device& device = environment.device;
  std::string text = format(
      "device         %s, %s, %d SMs, %s L2, DRAM %s\n"
      "software       driver %s, CUDA %s, cuBLAS %s\n",
      device.name.c_str(), device.arch.c_str(), device.sm_count, as_bytes(device.l2_bytes).c_str(),
      or_unknown(environment.dram_gb_s, "GB/s").c_str(), device.driver.c_str(), device.cuda.c_str(),
      device.cublas.c_str());
  text += format(
      "limits         SM clock %s, power %s; at the start %s, %s, %s\n",
      or_unknown(environment.max_clock_mhz, "MHz").c_str(),
      or_unknown(environment.power_limit_w, "W").c_str(),
      or_unknown(nvml.sm_clock_mhz(), "MHz").c_str(), or_unknown(nvml.power_w(), "W").c_str(),
      or_unknown(nvml.temperature_c(), "degrees Celsius").c_str());
  return text +
         format(
             "inputs         %s, seed %llu\n", name_of(environment.inputs),
             static_cast<unsigned long long>(environment.seed)) +
         protocol_text(options);
}

// Somebody else's work on the same GPU. Asked before this program gives it any.
std::string busy_warning(const Nvml& nvml, const std::optional<double>& utilization) {
  const std::optional<unsigned> processes = nvml.count_processes();
  std::string text;
  if (processes && *processes > 1) {
    text += format(
        "warning        %u other processes compute on this GPU: figures are not to be trusted\n",
        *processes - 1);
  }
  if (utilization && *utilization > 10) {
    text += format(
        "warning        the GPU was busy (%.0f %% of the last second) before this run began\n",
        *utilization);
  }
  return text;
}

std::string bus_id_of(int device) {
  char text[32] = "";
  if (cudaDeviceGetPCIBusId(text, sizeof text, device) != cudaSuccess) {
    cudaGetLastError();
    return "";
  }
  return text;
}

int run(const BenchOptions& options) {
  // Before this program makes the GPU work.
  const Nvml nvml(bus_id_of(options.run.device));
  const std::optional<double> utilization = nvml.utilization_percent();

  std::vector<Stages> sizes = stages_by_size(options);
  const Environment environment = {
      utc_now(),
      commit_of(""),
      sizes[0][0].device,
      options.run.inputs,
      options.run.seed,
      nvml.max_sm_clock_mhz(),
      nvml.power_limit_w(),
      dram_gb_s(options.run.device),
      cutlass_kernels().size()};
  std::string csv = options.csv;
  if (!options.folder.empty()) {
    csv = options.folder + (options.curve ? "/after_" : "/") +
          card_file_name(environment.device.name) + ".csv";
  }
  if (!csv.empty()) {
    check_writable("--csv", csv);
    if (!options.curve) check_csv_columns(csv, bench_csv_header());
  }
  print(header_text(environment, options, nvml) + busy_warning(nvml, utilization));

  const Timer timer(nvml);
  if (options.curve) {
    const CurveRecord record = run_curves(sizes[0], options, timer);
    print("\n" + size_text(record.size) + "\n" + curve_report(record));
    if (!csv.empty()) {
      write_whole_file("--csv", csv, curve_csv(environment, record, options.order_seed));
      print(format("\nrows written to %s\n", csv.c_str()));
    }
    return 0;
  }
  std::optional<MmaLoop> loop;
  std::string rows;
  for (Stages& stages : sizes) {
    const ProblemSize size = size_of(stages[0].kernel);
    const std::vector<Measurement> measurements = options.reproduce
                                                      ? run_reproduction(stages, options, timer)
                                                      : run_contest(stages, options, timer, loop);
    print("\n");
    print(
        options.reproduce ? size_text(size) + "\n" + reproduction_report(environment, measurements)
                          : size_report(environment, size, measurements));
    for (const Measurement& each : measurements) rows += bench_csv_row(environment, size, each);
  }
  if (!csv.empty()) {
    append_csv_row(csv, bench_csv_header(), rows);
    print(format("\nrows appended to %s\n", csv.c_str()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const BenchOptions options =
        parse_bench_options(std::vector<std::string>(argv + 1, argv + argc));
    if (options.help) {
      print(bench_help_text());
      return 0;
    }
    return run(options);
  } catch (const WrongResult& wrong) {
    clear_progress();
    std::fflush(stdout);
    std::fprintf(stderr, "WRONG: %s; nothing was written\n", wrong.what());
    return 1;
  } catch (const std::exception& error) {
    clear_progress();
    std::fflush(stdout);
    std::fprintf(stderr, "refused: %s\n", error.what());
    return 2;
  }
}
