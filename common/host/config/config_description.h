// The config of this build as plain values, for the parts of the host that are compiled once and
// know no template. describe.h makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct ConfigField {
  std::string name;
  int64_t value;
  bool overridden;  // on make's command line
};

// Row and column of a tile of C, in tiles.
struct TilePosition {
  int m, n;
};

struct ConfigDescription {
  std::string stage;                // "02_warp_specialized"
  std::string kernel_hash;          // of the stage's source; "" if the build did not say
  std::vector<ConfigField> fields;  // those that the stage has, in the order of its config.h
  std::vector<int> archs;           // what the binary was built for (120), or the one emulated
  std::string break_name;           // the defect of a BREAK build, else ""

  int64_t M, N, K;
  int BM, BN, BK;
  int warps_per_block_m, warps_per_block_n;
  int GM, GN;  // the grid of tiles
  int64_t blocks;
  int threads;                               // per block
  size_t smem_bytes;                         // dynamic shared memory per block
  TilePosition (*tile_of_block)(int block);  // the order in which the kernel visits tiles
};

// "M=4096 N=512 ...", every field once; an overridden one carries `mark`.
std::string config_text(const ConfigDescription& config, const char* mark);
