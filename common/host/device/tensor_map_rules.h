// What the driver demands of a tensor map, for both backends.
#pragma once

#include <cstdint>
#include <string>

#include "../../ptx/bf16.h"

// Elements, rows first.
struct Extent {
  int64_t rows, cols;
};

// A bf16 matrix, row-major and dense, and the box of it that one copy moves to shared memory.
struct TensorMapRequest {
  char operand;  // 'A' or 'B', for messages
  const bf16* address;
  Extent matrix;
  Extent box;
  int swizzle;  // bytes: 0, 32, 64 or 128
};

// The first rule of the driver (cuda.h, cuTensorMapEncodeTiled) that the request breaks, as a
// sentence with operand, value, limit and what to change; "" if it breaks none. Needs no driver.
std::string find_tensor_map_fault(const TensorMapRequest& request);
