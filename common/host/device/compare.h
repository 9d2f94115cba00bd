// When is an element of C right? One rule, for the GPU, the CPU and the tests.
//
// Integer inputs: bit for bit, every sum is exact.
//
// Random inputs: |got - expected| <= tolerance(K) * |a| * |b|, with the Euclidean norms of the row
// of A and the row of B (that is, column of the product) that meet in the element. Products of bf16
// are exact in fp32, so only the additions round. A tensor core adds 8 products at a time to the
// accumulator and may cut where it should round: K / 8 steps, each off by at most one unit in the
// last place, 2^-23, of a partial sum; and no partial sum exceeds sum |a_k b_k| <= |a| * |b|
// (Cauchy and Schwarz). So
//
//   tolerance(K) = (K / 8) * 2^-23 + 16 * 2^-24 = (K / 4 + 16) * 2^-24,
//
// where the constant covers the roundings inside one mma at small K. A tile of BK missing from
// uniform inputs costs about sqrt(BK) / K of |a| * |b|: at K = 8192 and BK = 16 it is 4.9e-4, the
// tolerance 1.2e-4.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "../support/host_device.h"

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error \
    "this compiler may suppose that there is no NaN, and one in C would pass: leave -ffast-math out"
#endif

inline double tolerance_for(int64_t K) { return (K / 4.0 + 16) / (1 << 24); }

struct ElementCheck {
  bool right;
  double rel_error;  // |got - expected| / scale; 0 if equal, infinity if no number says it
};

HOST_DEVICE inline bool same_bits(float x, float y) {
  uint32_t x_bits, y_bits;
  memcpy(&x_bits, &x, sizeof x);
  memcpy(&y_bits, &y, sizeof y);
  return x_bits == y_bits;
}

// `scale` is |a| * |b|. NaN and infinity must be where they are expected and of the same kind;
// `!(error <= bound)` lets no NaN pass.
HOST_DEVICE inline ElementCheck check_element(
    float got,
    float expected,
    double scale,
    double tolerance,
    bool exact) {
  constexpr double infinity = HUGE_VAL;
  const bool both_nan = got != got && expected != expected;
  if (both_nan || got == expected) {
    return {!exact || both_nan || same_bits(got, expected), 0};
  }
  const double difference = static_cast<double>(got) - static_cast<double>(expected);
  const double error = difference < 0 ? -difference : difference;
  if (!(error < infinity)) return {false, infinity};  // a NaN or an infinity on one side only
  const bool outside = exact || !(error <= tolerance * scale);
  return {!outside, scale > 0 ? error / scale : infinity};
}
