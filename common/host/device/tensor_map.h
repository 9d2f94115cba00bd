// Tensor maps: what TMA has to know about a matrix to copy boxes of it.
#pragma once

#ifdef __CUDACC__
#include <cuda.h>
#else
#include "../../ptx/emulated_tensor_map.h"
#endif

#include "tensor_map_rules.h"

// The map of a row-major `matrix` at `address`, of which one copy moves a `box` and swizzles it by
// `swizzle` bytes. Throws Refusal with find_tensor_map_fault's sentence.
CUtensorMap make_tensor_map(
    char operand,
    const bf16* address,
    Extent matrix,
    Extent box,
    int swizzle);
