// Is C right? Inputs, launches, and every check of their output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "../config/config_description.h"
#include "../device/device.h"
#include "../device/matrices.h"
#include "../options/options.h"

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

// Called now and then with a count of how much is done.
using Progress = std::function<void(const char* what, int64_t done, int64_t total)>;

// The inputs that --inputs and a seed ask for. Throws Refusal where integers cannot be exact.
InputRule input_rule(Inputs inputs, uint64_t seed, int64_t K);

// Runs `launch` as the options say (once, --launches times, or under --schedules) and checks every
// output: against the reference, and bit for bit against the first right one. Leaves A and B
// filled.
Verification verify(
    const Options& options,
    const ConfigDescription& config,
    Device& device,
    Matrices& matrices,
    const std::function<void()>& launch,
    const Progress& progress);

// Indices into C at which a slow check looks: corners, edges, a pseudo-random element of each tile
// (of up to 1024 tiles) and some more. Sorted, each once.
std::vector<int64_t> sample_indices(const ConfigDescription& config, uint64_t seed);

// Element `index` of the product in double precision, from the inputs' rule alone; and |a| * |b|.
struct ExactElement {
  double value, scale;
};
ExactElement exact_element(const ConfigDescription& config, const InputRule& rule, int64_t index);

// The reference is somebody's program, too: its sampled elements are computed anew in double
// precision. `values` is `whose` product, in the kernel's memory. Returns what is wrong with it, in
// one line, or "".
std::string find_reference_fault(
    const ConfigDescription& config,
    const InputRule& rule,
    const float* values,
    const char* whose);
