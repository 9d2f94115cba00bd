// Tensor maps: what TMA has to know about a matrix to copy boxes of it.
#pragma once

#ifdef __CUDACC__
#include <cuda.h>
#else
#include "../../ptx/emulated_tensor_map.h"
#endif

#include "../../config.h"
#include "../support/refusal.h"
#include "tensor_map_rules.h"

// The map of a legal request, as the driver or the emulator has it.
CUtensorMap encode_tensor_map(const TensorMapRequest& request);

// The map of a row-major `matrix` at `address`, of which one copy moves a `box` and swizzles it by
// `swizzle` bytes. Throws Refusal with find_tensor_map_fault's sentence.
inline CUtensorMap make_tensor_map(
    char operand,
    const bf16* address,
    Extent matrix,
    Extent box,
    int swizzle) {
  const TensorMapRequest request = {operand, address, matrix, box, swizzle};
  refuse_if(find_tensor_map_fault(request));
  return encode_tensor_map(request);
}

// Those of A [M, K] and B [N, K], as main.cu makes them.
struct TensorMaps {
  CUtensorMap A, B;
};
inline TensorMaps make_tensor_maps(const bf16* A, const bf16* B, const ConfigValues& v) {
  const int swizzle = static_cast<int>(v.swizzle);
  return {
      make_tensor_map('A', A, {v.M, v.K}, {v.BM, v.BK}, swizzle),
      make_tensor_map('B', B, {v.N, v.K}, {v.BN, v.BK}, swizzle)};
}
