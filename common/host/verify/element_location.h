// Who computes an element of C: the way from (row, col) back to a register.
#pragma once

#include <cstdint>
#include <string>

#include "../config/config_description.h"

struct ElementLocation {
  int64_t block;       // -1 if the tile order never visits the tile
  int tile_m, tile_n;  // the block's tile
  int warp;            // warps stand row by row in the tile
  int acc_m, acc_n;    // the warp's accumulator, 16x8
  int lane, reg;       // PTX ISA, "Matrix Fragments for mma.m16n8k16", accumulator
};

// `row` and `col` must lie inside C.
ElementLocation locate_element(const ConfigDescription& config, int64_t row, int64_t col);

// "block 3 (tile 0, 3), warp 1, lane 17, register 2 of accumulator (0, 5)".
std::string location_text(const ElementLocation& location);
