// How fast is the kernel, and what else can this GPU do?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../device/device.h"
#include "../device/matrices.h"

// TFLOP/s: the median of all timed runs, and the quantiles around it (p20 <= median <= p80).
struct Speed {
  double median, p20, p80;
};

// What timing something gave, over all rounds.
struct Timing {
  Speed speed = {};
  double ms = 0;                             // median
  std::vector<double> round_ms;              // the median of each round
  int runs = 0;                              // that were timed
  std::optional<double> clock_mhz, power_w;  // SM clock and power meanwhile
  uint64_t throttle_reasons = 0;             // NVML's bits
};

// A stage and its peers, which took turns.
struct Benchmark {
  Timing stage;
  Timing cublas;               // with fp32 output: the same work
  Timing cublas_bf16out;       // with bf16 output: what torch.matmul does
  Timing mma_peak;             // of mma.sync on registers alone
  std::string mma_peak_shape;  // the loop that was the fastest
  std::optional<double> power_limit_w, temperature_c;
};

// Times the stage and its peers on inputs that `matrices` already holds. Nothing on the emulator.
std::optional<Benchmark> run_benchmark(
    const Device& device,
    Matrices& matrices,
    const std::function<void()>& launch);
