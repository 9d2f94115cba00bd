// Is C right? Inputs, launches, and every check of their output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "../config/config_description.h"
#include "../device/device.h"
#include "../options/options.h"
#include "expected_product.h"

struct Verification {
  bool passed = false;
  bool exact = false;        // integer inputs: compared bit for bit
  double max_rel_error = 0;  // over all launches and elements, in the unit of compare.h
  double tolerance = 0;
  int64_t launches = 0;
  int64_t wrong_launches = 0;
  std::optional<uint64_t> failing_seed;  // of a random schedule
  std::string fault;                     // what went wrong first, in one line; "" if nothing did
  EmulatedLaunch emulated;               // the launch that failed, else the first
};

// Runs `launch` as the options say (once, --launches times, or under --schedules) and checks every
// output: against the reference, and bit for bit against the first right one. Leaves A and B
// filled.
Verification verify(
    const Options& options,
    const ConfigDescription& config,
    Device& device,
    Matrices& matrices,
    const std::function<void()>& launch);
