// How fast is the kernel, and what else can this GPU do?
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../config/config_description.h"
#include "../device/device.h"
#include "../device/matrices.h"
#include "../options/options.h"
#include "../support/terminal.h"

// TFLOP/s: the median of all timed runs, and the quantiles around it (p20 <= median <= p80).
struct Speed {
  double median, p20, p80;
};

struct Benchmark {
  Speed stage;
  double stage_ms;                                      // median
  double cublas;                                        // TFLOP/s with fp32 output: the same work
  double cublas_bf16out;                                // with bf16 output: what torch.matmul does
  double mma_peak;                                      // of mma.sync on registers alone
  std::string mma_peak_shape;                           // the loop that was the fastest
  std::optional<double> clock_mhz, mma_peak_clock_mhz;  // SM clock while the stage, the loop ran
  std::optional<double> power_w, power_limit_w, temperature_c;
  int rounds;  // stage and peers took turns
  int runs;    // timed runs of the stage, over all rounds
};

// Times the stage and its peers on inputs that `matrices` already holds. Nothing on the emulator.
std::optional<Benchmark> run_benchmark(
    const Device& device,
    Matrices& matrices,
    const std::function<void()>& launch,
    const Progress& progress);
