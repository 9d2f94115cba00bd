// The swizzles that TMA applies when it writes a tile to shared memory, written as CUTLASS writes
// them, <bits, base, shift>: XOR address bits [base, base + bits) with the `bits` bits that stand
// `shift` places higher.
//
//   swizzle   pattern   16-byte chunks of a row are permuted by    repeats every (atom)
//    32 B     <1,4,3>   bit 7                                        256 B
//    64 B     <2,4,3>   bits 7-8                                     512 B
//   128 B     <3,4,3>   bits 7-9                                    1024 B
//
// A tile's row is exactly as wide as the swizzle (config_checks.h), so the permuting bits are row
// bits: rows that would meet in one bank are moved apart. See docs/swizzle.md.
#pragma once

#include <cstdint>

#include "ptx/ptx.cuh"

// Number of address bits that the swizzle of `swizzle` bytes (0, 32, 64 or 128) permutes.
__host__ __device__ constexpr int swizzle_bits(int swizzle) {
  return swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32 ? 1 : 0;
}

// Bytes after which the pattern repeats; a swizzled buffer must be aligned to it.
__host__ __device__ constexpr uint32_t swizzle_atom_bytes(int swizzle) {
  return swizzle == 0 ? 128u : 8u * static_cast<uint32_t>(swizzle);
}

// Byte offset in a tile -> where TMA puts that byte. A bijection inside each atom.
template <int swizzle>
__host__ __device__ constexpr uint32_t swizzle_offset(uint32_t offset) {
  constexpr uint32_t permuted = ((1u << swizzle_bits(swizzle)) - 1u) << 4;
  return offset ^ ((offset >> 3) & permuted);
}

// Moves a swizzled offset whose column is 0 (or 16 bytes) by `bytes` along its row. Column bits
// that are zero can be XORed in, and XOR commutes with the row's pattern: the swizzle is paid
// once per thread, and a step along k costs one instruction.
template <int swizzle>
__host__ __device__ constexpr uint32_t swizzled_column(uint32_t offset, uint32_t bytes) {
  return swizzle == 0 ? offset + bytes : offset ^ bytes;
}
