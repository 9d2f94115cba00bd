// The config of this build as plain values, for the parts of the host that are compiled once and
// know no template. describe.h makes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../config.h"

struct ConfigField {
  std::string name;
  int64_t value;
  bool overridden;  // on make's command line
};

// Row and column of a tile of C, in tiles.
struct TilePosition {
  int m, n;
};

struct ConfigDescription : ConfigValues {
  std::string stage;                // "02_warp_specialized"
  std::string kernel_hash;          // of the stage's source; "" if the build did not say
  std::vector<ConfigField> fields;  // those that the stage has, in the order of config_fields.inc
  std::vector<int> archs;           // what the binary was built for (120), or the one emulated
  std::string preset;               // of the build, "" for what config.h says
  std::string break_name;           // the defect of a BREAK build, else ""
  TilePosition (*tile_of_block)(int block);  // the order in which the kernel visits tiles
};

// "M=4096 N=512 ...", every field that the stage has.
std::string config_text(const ConfigDescription& config);
