// The emulator's tensor map. The driver's is opaque, so the emulator has its own of the same name,
// size and alignment; the host fills it after the same checks that the driver makes.
#pragma once

#include <cstdint>

struct alignas(64) CUtensorMap {
  const void* base;    // [rows, cols] bf16 in global memory
  uint64_t cols;       // elements
  uint64_t rows;       // elements
  uint64_t row_bytes;  // from one row to the next
  uint32_t box_cols;   // elements
  uint32_t box_rows;   // elements
  int32_t swizzle;     // bytes: 0, 32, 64 or 128
  char operand;        // 'A' or 'B': the name in reports
};
static_assert(sizeof(CUtensorMap) == 64 || sizeof(CUtensorMap) == 128, "one or two cache lines");
