// The clock at which an SM really ran, from readings of its own counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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
