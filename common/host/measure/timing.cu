#include "timing.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "../device/cuda_check.h"
#include "../device/device.h"
#include "../support/statistics.h"
#include "../support/terminal.h"
#include "clock_meter.h"
#include "steady.h"

namespace {

constexpr int estimate_runs = 5;
constexpr double warmup_ms = 25;
constexpr double repetitions_ms = 100;

int whole_count(double total_ms, double one_ms) {
  return std::max(1, static_cast<int>(total_ms / one_ms));
}

}  // namespace

Stopwatch::Stopwatch() {
  CUDA_CHECK(cudaEventCreate(&start_));
  CUDA_CHECK(cudaEventCreate(&stop_));
}

Stopwatch::~Stopwatch() {
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
}

void Stopwatch::start() { CUDA_CHECK(cudaEventRecord(start_)); }

void Stopwatch::stop() { CUDA_CHECK(cudaEventRecord(stop_)); }

bool Stopwatch::has_stopped() const {
  if (cudaEventQuery(stop_) != cudaErrorNotReady) return true;
  cudaGetLastError();  // "not ready" is remembered as an error, and is none
  return false;
}

void Stopwatch::wait() const { CUDA_CHECK(cudaEventSynchronize(stop_)); }

double Stopwatch::milliseconds() const { return milliseconds_since(*this); }

double Stopwatch::milliseconds_since(const Stopwatch& first) const {
  float time = 0;
  CUDA_CHECK(cudaEventElapsedTime(&time, first.start_, stop_));
  return time;
}

void Readings::take(const Nvml& nvml) {
  if (const auto power = nvml.power_w()) power_w.push_back(*power);
  if (const auto reasons = nvml.throttle_reasons()) throttle_reasons |= *reasons;
}

Timing timing_of(const Contestant& contestant) {
  std::vector<double> tflops;
  for (const double ms : contestant.milliseconds) {
    tflops.push_back(contestant.flops / (ms * 1e-3) * 1e-12);
  }
  Timing timing;
  timing.speed = {median(tflops), quantile(tflops, 0.2), quantile(tflops, 0.8)};
  timing.ms = median(contestant.milliseconds);
  timing.round_ms = contestant.round_milliseconds;
  timing.runs = static_cast<int>(tflops.size());
  const Readings& seen = contestant.readings;
  if (!seen.clock_mhz.empty()) timing.clock_mhz = median(seen.clock_mhz);
  if (!seen.power_w.empty()) timing.power_w = median(seen.power_w);
  timing.throttle_reasons = seen.throttle_reasons;
  return timing;
}

Timer::Timer(const Nvml& nvml) : nvml_(nvml), flushed_(l2_flush_bytes) {}

void Timer::time(Contestant& contestant) const {
  contestant.run();
  CUDA_CHECK(cudaDeviceSynchronize());
  const double estimate_ms = estimate(contestant.run);
  for (int i = 0; i < whole_count(warmup_ms, estimate_ms); i++) contestant.run();

  std::vector<Stopwatch> watches(whole_count(repetitions_ms, estimate_ms));
  ClockMeter clock(watches.size());
  for (size_t i = 0; i < watches.size(); i++) {
    flush_l2();
    clock.start(i);
    watches[i].start();
    contestant.run();
    watches[i].stop();
    clock.stop(i);
  }
  read_while_busy(watches.back(), contestant.readings);
  CUDA_CHECK(cudaDeviceSynchronize());
  if (const auto mhz = clock.mhz()) contestant.readings.clock_mhz.push_back(*mhz);
  std::vector<double> round;
  for (const Stopwatch& watch : watches) round.push_back(watch.milliseconds());
  contestant.round_milliseconds.push_back(median(round));
  contestant.milliseconds.insert(contestant.milliseconds.end(), round.begin(), round.end());
}

// Reads of A and B must come from DRAM, as in a program that does something between two products.
void Timer::flush_l2() const { backend::fill_bytes(flushed_.get(), 0, l2_flush_bytes); }

// Milliseconds of a run, the flush included.
double Timer::estimate(const std::function<void()>& run) const {
  Stopwatch watch;
  watch.start();
  for (int i = 0; i < estimate_runs; i++) {
    flush_l2();
    run();
  }
  watch.stop();
  CUDA_CHECK(cudaDeviceSynchronize());
  return watch.milliseconds() / estimate_runs;
}

void Timer::read_while_busy(const Stopwatch& last, Readings& readings) const {
  do {
    readings.take(nvml_);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (!last.has_stopped());
}

size_t find_fastest(
    std::vector<Contestant>& contestants,
    int rounds,
    const Timer& timer,
    const char* what) {
  const int64_t turns = rounds * static_cast<int64_t>(contestants.size());
  int64_t done = 0;
  for (int round = 0; round < rounds; round++) {
    for (const size_t index : drawn_order(contestants.size(), 1, round)) {
      show_progress(what, done++, turns);
      timer.time(contestants[index]);
    }
  }
  const auto slower = [](const Contestant& a, const Contestant& b) {
    return timing_of(a).speed.median < timing_of(b).speed.median;
  };
  return std::max_element(contestants.begin(), contestants.end(), slower) - contestants.begin();
}
