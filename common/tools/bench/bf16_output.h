// A result in bf16 against a reference in fp32.
#pragma once

#include <cstring>

#include "../../host/support/host_device.h"
#include "../../ptx/bf16.h"

// The fp32 number nearest to `expected` that rounds to `got`. So a bf16 result is held to the very
// tolerance of an fp32 one (compare.h): what rounding the output took away is no error, and nothing
// else is forgiven. NaN and infinity come back as they are.
HOST_DEVICE inline float before_rounding(bf16 got, float expected) {
  const auto as_float = [](uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  };
  const uint32_t magnitude = got.bits & 0x7fffu;
  const float value = as_float(uint32_t{got.bits} << 16);
  if (magnitude >= 0x7f80u) return value;
  // Halfway to the neighbours in magnitude: bit 15 below the last one of bf16. Zero has neighbours
  // of both signs.
  const float outer = as_float(magnitude << 16 | 0x8000u);
  const float inner = magnitude == 0 ? -outer : as_float((magnitude << 16) - 0x8000u);
  const bool negative = (got.bits & 0x8000u) != 0;
  const float low = negative ? -outer : inner;
  const float high = negative ? -inner : outer;
  if (!(expected >= low)) return low;
  if (!(expected <= high)) return high;
  return expected;
}
