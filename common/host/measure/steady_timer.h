// Times kernels that run back to back, without a gap in which the GPU could recover.
#pragma once

#include <functional>
#include <vector>

#include "steady.h"
#include "timing.h"

class SteadyTimer {
 public:
  using Run = std::function<void()>;  // launches; asynchronous

  explicit SteadyTimer(const Nvml& nvml) : nvml_(nvml) {}

  // Runs it until its SM clock has settled and then, in one go, for as long as is timed. Adds the
  // bits of NVML that say what held the clock down to `throttle_reasons`.
  SteadyRound time(const Run& run, uint64_t& throttle_reasons) const;

  // How many launches take about `ms`; at least one. After a gap.
  int count_runs(const Run& run, double ms) const;

  // Runs it for `ms`, in pieces of so many launches; the first piece begins at once.
  std::vector<Piece> record(const Run& run, double ms, int runs_of_piece) const;

 private:
  const Nvml& nvml_;
};
