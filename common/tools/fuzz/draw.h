// Draws configs and sizes of a stage that the rules allow, and looks for smaller ones that are like
// a given one. A config is a function of (stage, arch, seed, index): a run can be replayed, and a
// longer run begins with the configs of a shorter one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../config_checks.h"
#include "../../host/config/config_values.h"

// What tells one stage's configs from another's.
struct FuzzedStage {
  std::vector<std::string> fields;  // the names in its config.h; the others stay as they are
  ConfigValues plain;               // values of the fields that it does not have
  ArchLimits limits;
  int64_t most_mma;    // of a problem: bounds the time that it takes
  int64_t most_tiles;  // along M and along N

  bool has(const std::string& field) const;
};

// Instructions of the whole problem.
int64_t mma_count(const ConfigValues& values);

// Whether every rule holds, and the problem is within the stage's bounds.
bool is_drawable(const FuzzedStage& stage, ConfigValues values);

// Config number `index` of `seed`; drawable.
ConfigValues draw_config(const FuzzedStage& stage, uint64_t seed, uint64_t index);

// How much there is to a config: the lower, the easier to think about.
double complexity(const ConfigValues& values);

// Drawable configs a step or two away from this one, all of them simpler; the simplest first.
std::vector<ConfigValues> simpler_configs(const FuzzedStage& stage, const ConfigValues& values);

// The config of a line as in "M=1 N=1 K=8". A field that is not given is small and plain, one that
// the stage does not have is ignored. Throws std::invalid_argument if the line is not one of
// fields, or if a rule is broken.
ConfigValues parse_config(const FuzzedStage& stage, const std::string& line);
