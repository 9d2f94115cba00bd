// The tunables of this stage: edit a value, or override it for one build, as in `make 02 BM=64`.
// The rules between them are in common/config_rules.inc; make names the one that a value breaks.
#pragma once

#include "../common/config.h"

struct Fields : FieldDefaults {
  // The problem, in elements.
  static constexpr int M = field("M", default_size);  // rows of A and C: 1 or more
  static constexpr int N = field("N", default_size);  // columns of B and C: 1 or more
  static constexpr int K = field("K", default_size);  // columns of A, rows of B: multiple of 8

  // The tile of a block, in elements.
  static constexpr int BM = field("BM", 128);  // multiple of 16 * warps_per_block_m, up to 256
  static constexpr int BN = field("BN", 128);  // multiple of 16 * warps_per_block_n, up to 256
  static constexpr int BK = field("BK", 64);   // multiple of 16, up to 256; swizzle / 2 with one
  static constexpr int bk_stages = field("bk_stages", 3);  // tiles in shared memory: 1 to 32

  // The grid of warps that share a block's tile.
  static constexpr int warps_per_block_m = field("warps_per_block_m", 2);  // along M: 1 or more
  static constexpr int warps_per_block_n = field("warps_per_block_n", 2);  // along N: 1 or more
  static constexpr int wk_stages = field("wk_stages", 2);  // fragments in registers: 1 to BK / 16

  // How tiles lie in shared memory, in what order blocks take them, how many blocks share an SM.
  static constexpr int swizzle = field("swizzle", 128);  // bytes: 0 (none), 32, 64 or 128
  static constexpr int group_m = field("group_m", 8);    // tiles of C along M per chunk: 1 or more
  static constexpr int group_n = field("group_n", 8);    // tiles of C along N per chunk: 1 or more
  static constexpr int min_blocks_per_sm = field("min_blocks_per_sm", 1);  // blocks: 1 to 24
};

using Config = GemmConfig<Fields>;
