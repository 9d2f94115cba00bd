// The machine that runs the kernel: a GPU, or the emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../emulator/counters.h"
#include "../config/config_description.h"
#include "../options/options.h"

// What the emulator counted and reported during one launch.
struct EmulatedLaunch {
  emulator::Counters counters;
  uint64_t raw_hazards = 0, war_hazards = 0, other_hazards = 0, deadlocks = 0;
  std::vector<std::string> reports;
  std::string trace;  // the timeline as CSV, where one was asked for
};

struct Device {
  Backend backend;
  std::string name;  // "NVIDIA H200"
  std::string arch;  // "sm_90"

  // Of a GPU.
  int sm_count = 0;
  size_t l2_bytes = 0;
  std::string driver, cuda, cublas;           // versions
  std::optional<int> registers, spill_bytes;  // of a thread of the kernel
  std::string pci_bus_id;                     // by which NVML finds it

  // Of the emulator: how the next launch runs, and what the last one did.
  LandingSchedule schedule = LandingSchedule::eager;
  uint64_t schedule_seed = 0;
  bool trace = false;
  EmulatedLaunch last_launch;
};

// The backend of this build.
Backend this_backend();

// Opens GPU `options.device` (or the emulator) for `kernel`. Throws Refusal, in one line, if it
// cannot run this config: no GPU, one that is too old or for which the binary was not built, an old
// driver, too little memory of either kind.
Device open_device(const Options& options, const ConfigDescription& config, const void* kernel);

// Memory that is flushed between timed runs: larger than any L2 so far.
constexpr size_t l2_flush_bytes = size_t{256} << 20;
