// Reads the SM clock around each of several runs. The driver's figure (NVML) is no substitute: on a
// GPU at its power limit it names the clock that was asked for, not the one that the SMs had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../device/backend.h"

struct CUstream_st;  // what a cudaStream_t points to

// What an SM answers when it is asked for the time.
struct ClockStamp {
  int64_t sm_clocks;    // %clock64: counts at the SM's clock
  int64_t nanoseconds;  // %globaltimer: does not depend on it
  int64_t sm;           // %smid: each SM has a counter of its own
};

// MHz on average over the intervals between starts[i] and stops[i], weighted by their lengths, so
// that the coarse steps of %globaltimer cancel out. An interval whose ends are of two SMs says
// nothing. Nothing if none does.
inline std::optional<double> mean_clock_mhz(
    const std::vector<ClockStamp>& starts,
    const std::vector<ClockStamp>& stops) {
  double sm_clocks = 0, nanoseconds = 0;
  for (size_t i = 0; i < starts.size() && i < stops.size(); i++) {
    if (starts[i].sm != stops[i].sm) continue;
    sm_clocks += static_cast<double>(stops[i].sm_clocks - starts[i].sm_clocks);
    nanoseconds += static_cast<double>(stops[i].nanoseconds - starts[i].nanoseconds);
  }
  if (!(sm_clocks > 0 && nanoseconds > 0)) return std::nullopt;
  return sm_clocks / nanoseconds * 1e3;
}

class ClockMeter {
 public:
  explicit ClockMeter(size_t runs);
  ~ClockMeter();
  ClockMeter(const ClockMeter&) = delete;
  ClockMeter& operator=(const ClockMeter&) = delete;

  // Asynchronous: in stream order before and after run `i`, below `runs`.
  void start(size_t i);
  void stop(size_t i);

  // MHz on average over all runs, once they have finished; nothing if that cannot be known. Does
  // not wait for what was launched since.
  std::optional<double> mhz() const;

 private:
  void stamp(ClockStamp* target);

  size_t runs_;
  Buffer<ClockStamp> stamps_;  // of the starts, then of the stops
  CUstream_st* copies_ = nullptr;
};
