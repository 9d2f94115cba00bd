// A config's fields by their names, as numbers: from a build, from a line of text, and back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../config_checks.h"

// By a name of its own: what nvcc makes of the declaration, g++ warns of.
using ConfigMember = long long ConfigValues::*;

// A row of config_fields.inc.
struct FieldInfo {
  const char* name;
  ConfigMember value;
  const char* unit;
  const char* meaning;
  std::optional<long long> least = {};
  std::optional<long long> most = {};
  std::vector<long long> tried = {};  // by the tuner, in increasing order
  bool combined = false;              // and in all combinations, not only step by step
};

// All fields that a config.h can have.
const std::vector<FieldInfo>& config_fields();
std::vector<std::string> all_fields();  // their names

// The row of a field. Throws std::invalid_argument where there is none.
const FieldInfo& field_named(const std::string& name);

// The size of a stage's SharedStorage: the buffers of A, those of B, and mbarriers, which never
// exceed the padding between 512-byte rows of tiles and the alignment of 1024.
long long shared_storage_bytes(const ConfigValues& values);

// The rule that a config breaks, those of shared memory included. Fills in smem_bytes.
Violation find_violation(const ArchLimits& limits, ConfigValues& values);

// "BM=128 BN=256 ...": the fields named in `names`, in their order.
std::string config_line(const ConfigValues& values, const std::vector<std::string>& names);

// Overwrites fields of `values` by those of `line`, as in "BM=128 BK=32"; what follows a # is a
// comment. Returns what is wrong with the line, "" if nothing is; a field must be one of `names`.
std::string read_config_line(
    const std::string& line,
    const std::vector<std::string>& names,
    ConfigValues& values);
