// Reads the SM clock around each of several runs. The driver's figure (NVML) is no substitute: on a
// GPU at its power limit it names the clock that was asked for, not the one that the SMs had.
#pragma once

#include "../device/backend.h"
#include "clock_stamps.h"

class ClockMeter {
 public:
  explicit ClockMeter(size_t runs);

  // Asynchronous: in stream order before and after run `i`, below `runs`.
  void start(size_t i);
  void stop(size_t i);

  // MHz on average over all runs, once they have finished; nothing if that cannot be known.
  std::optional<double> mhz() const;

 private:
  void stamp(ClockStamp* target);

  size_t runs_;
  Buffer<ClockStamp> stamps_;  // of the starts, then of the stops
};
