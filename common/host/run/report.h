// What a run prints for people. Each part ends with a newline; units stand beside every number.
#pragma once

#include <string>

#include "../config/config_description.h"
#include "../device/device.h"
#include "../measure/benchmark.h"
#include "../options/options.h"
#include "../verify/verify.h"

// The problem, the device, the config with overridden fields marked.
std::string run_text(const ConfigDescription& config, const Device& device);

// Whether the result is right, and how far it is from the reference.
std::string verification_text(const Options& options, const Verification& verification);

// What the emulator counted in one launch.
std::string counters_text(const emulator::Counters& counters);

// The command that runs a failing random schedule again.
std::string replay_text(const ConfigDescription& config, const Options& options, uint64_t seed);

// TFLOP/s of the kernel and its peers, and the conditions.
std::string benchmark_text(const Options& options, const Device& device, const Benchmark& result);
