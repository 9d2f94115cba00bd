// bf16: the upper half of an fp32. The course only moves bf16 bits around, so this replaces
// cuda_bf16.h on both backends.
#pragma once

#include <cstdint>
#include <cstring>

struct bf16 {
  uint16_t bits;
};

// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
inline bf16 to_bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  if (is_nan) return bf16{static_cast<uint16_t>((bits >> 16) | 0x0040u)};
  bits += 0x7fffu + ((bits >> 16) & 1u);
  return bf16{static_cast<uint16_t>(bits >> 16)};
}

inline float to_float(bf16 value) {
  const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
