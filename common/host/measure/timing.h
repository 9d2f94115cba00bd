// How a run on a GPU is timed cold: one protocol, for a stage's program and for the benchmark of
// all, which also times in steady state (steady_timer.h).
//
// It is that of triton.testing.do_bench in its defaults, with return_mode "median": one call; an
// estimate from 5 runs; 25 ms of warm-up and 100 ms of repetitions, as whole counts; before each
// timed run (and inside the estimate, but not in the warm-up) memory is written that is larger than
// the L2; a pair of events around each run.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "../device/backend.h"
#include "../device/nvml.h"
#include "benchmark.h"

// A pair of CUDA events around a run.
class Stopwatch {
 public:
  Stopwatch();
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start();
  void stop();
  bool has_stopped() const;
  void wait() const;            // until it has
  double milliseconds() const;  // once it has stopped
  // From the start of `first` to its own stop, once both have stopped.
  double milliseconds_since(const Stopwatch& first) const;

 private:
  cudaEvent_t start_, stop_;
};

// The SM clock of each round, and readings of the power meter while the GPU was busy.
struct Readings {
  std::vector<double> clock_mhz, power_w;
  uint64_t throttle_reasons = 0;  // NVML's bits, of all readings together

  void take(const Nvml& nvml);
};

// Something to time, and what was seen of it.
struct Contestant {
  Contestant(double flops_per_run, std::function<void()> one_run)
      : flops(flops_per_run), run(std::move(one_run)) {}

  double flops;                            // of one run
  std::function<void()> run;               // launches; asynchronous
  std::vector<double> milliseconds;        // of single runs, over all rounds
  std::vector<double> round_milliseconds;  // the median of each round
  Readings readings;
};

// What all runs of all rounds gave. There must have been one.
Timing timing_of(const Contestant& contestant);

// One round of a contestant: as do_bench, but that the clock is read before and after each pair of
// events, and the power meter meanwhile.
class Timer {
 public:
  explicit Timer(const Nvml& nvml);

  void time(Contestant& contestant) const;
  const Nvml& nvml() const { return nvml_; }

 private:
  void flush_l2() const;
  double estimate(const std::function<void()>& run) const;
  void read_while_busy(const Stopwatch& last, Readings& readings) const;

  const Nvml& nvml_;
  Buffer<uint8_t> flushed_;
};

// The index of the contestant with the highest speed after some rounds, in which they take turns,
// in an order that is drawn for each. There must be one.
size_t find_fastest(
    std::vector<Contestant>& contestants,
    int rounds,
    const Timer& timer,
    const char* what);
