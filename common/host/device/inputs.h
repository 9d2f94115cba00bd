// The elements of A and B, each a function of (seed, operand, index) and nothing else: any element
// can be made anywhere, in any order, and a GPU and a CPU make the same.
#pragma once

#include <cstdint>

#include "../options/options.h"
#include "../support/host_device.h"

struct InputRule {
  Inputs kind;
  uint64_t seed;
  int magnitude;  // integers: from -magnitude to magnitude, without 0
};

// The largest magnitude up to 16 for which K products sum to less than 2^24, so that every partial
// sum is exact in fp32. 0 if there is none (K >= 2^24).
inline int integer_magnitude(int64_t K) {
  constexpr int64_t exact_limit = int64_t{1} << 24;
  int magnitude = 16;
  while (magnitude > 0 && K * magnitude * magnitude >= exact_limit) magnitude--;
  return magnitude;
}

// 64 random bits: the finaliser of splitmix64 (Steele, Lea and Flood, 2014).
HOST_DEVICE inline uint64_t mix_bits(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// From -m to m, without 0: then not one product can go missing without a trace.
HOST_DEVICE inline float integer_input(uint64_t bits, int m) {
  const int value = static_cast<int>((bits >> 32) * static_cast<uint64_t>(2 * m) >> 32) - m;
  return static_cast<float>(value < 0 ? value : value + 1);
}

// In [-1, 1), in steps of 2^-23.
HOST_DEVICE inline float uniform_input(uint64_t bits) {
  const int steps = static_cast<int>(bits >> 40) - (1 << 23);
  return static_cast<float>(steps) / (1 << 23);
}

// Mean 0, variance 1: the sum of twelve uniform numbers. In integers, which need no libm to agree.
HOST_DEVICE inline float normal_input(uint64_t bits) {
  int sum = 0;
  for (int draw = 0; draw < 3; draw++) {
    for (int part = 0; part < 64; part += 16) sum += static_cast<int>(bits >> part & 0xffff);
    bits = mix_bits(bits);
  }
  return static_cast<float>(sum - 6 * 0xffff) / 65536.0f;
}

// Element `index` (row-major) of `operand` ('A' or 'B'), not yet rounded to bf16.
HOST_DEVICE inline float input_value(const InputRule& rule, char operand, int64_t index) {
  const uint64_t stream = mix_bits(rule.seed ^ static_cast<uint64_t>(operand) << 56);
  const uint64_t bits = mix_bits(stream + static_cast<uint64_t>(index));
  switch (rule.kind) {
    case Inputs::integers: return integer_input(bits, rule.magnitude);
    case Inputs::uniform: return uniform_input(bits);
    case Inputs::normal: return normal_input(bits);
  }
  return 0;
}
