// A config's fields by their names, as numbers: from a build, from a line of text, and back.
#pragma once

#include <string>
#include <vector>

#include "../../config_checks.h"
#include "config_description.h"

// The names of all fields that a config.h can have, in its order.
std::vector<std::string> all_fields();

// The member of `values` that config.h calls `name`; nullptr if there is none.
long long* find_field(ConfigValues& values, const std::string& name);

// The fields of a build. `producer_warps` and `smem_bytes` are those of the stage.
ConfigValues values_of(const ConfigDescription& config);

// "BM=128 BN=256 ...": the fields named in `names`, in their order.
std::string config_line(const ConfigValues& values, const std::vector<std::string>& names);

// Overwrites fields of `values` by those of `line`, as in "BM=128 BK=32"; what follows a # is a
// comment. Returns what is wrong with the line, "" if nothing is; a field must be one of `names`.
std::string read_config_line(
    const std::string& line,
    const std::vector<std::string>& names,
    ConfigValues& values);
