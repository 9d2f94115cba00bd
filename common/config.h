// The tunables of this stage: edit a value, or override it for one build, as in `make 02 BM=64`.
// The rules between them are in common/config_rules.inc; make names the one that a value breaks.
// A config.h lists its tunables, one a line, as `field("NAME", default)` in a struct `Fields`; the
// rest follows from them in `GemmConfig<Fields>`. `make 02 BM=64` overrides a field for one build:
// make puts the name and the value into CONFIG_OVERRIDES, where field() finds them.
#pragma once

#include <cstdint>

#ifndef CONFIG_OVERRIDES
#define CONFIG_OVERRIDES
#endif
#ifndef CONFIG_ARCH
#define CONFIG_ARCH 120  // the limits to check against: those of sm_120, the smallest
#endif

struct FieldOverride {
  const char* name;
  long long value;
};

// The overrides of this build; the last entry only keeps the array from being empty.
constexpr FieldOverride field_overrides[] = {CONFIG_OVERRIDES{nullptr, 0}};

constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

// The value of a tunable: the one that make was given, else `value`. A value that no int holds does
// not compile.
constexpr int field(const char* name, long long value) {
  for (const FieldOverride& given : field_overrides) {
    if (given.name != nullptr && same_text(given.name, name)) value = given.value;
  }
  if (value < INT32_MIN || value > INT32_MAX) throw "a field of config.h must fit into 32 bits";
  return static_cast<int>(value);
}

// M, N and K when nothing else is asked for. A CPU takes about a second for the smaller problem.
#if defined(__CUDACC__) || defined(BACKEND_CUDA)
constexpr int default_size = 8192;
#else
constexpr int default_size = 512;
#endif

// The values of the tunables that a stage does not have.
struct FieldDefaults {
  static constexpr int bk_stages = 1;
  static constexpr int wk_stages = 1;
  static constexpr int group_m = 1;
  static constexpr int group_n = 1;
  static constexpr int swizzle = 0;
  static constexpr int min_blocks_per_sm = 1;
  static constexpr int producer_warps = 0;
};

// a / b rounded down or up, and 0 where it makes no sense, so that a field of 0 reaches the checks
// (config_checks.h), which have a sentence for it.
constexpr int quotient(int a, int b) { return a > 0 && b > 0 ? a / b : 0; }
constexpr int quotient_up(int a, int b) { return a > 0 && b > 0 ? (a - 1) / b + 1 : 0; }

// The fields and what follows from them. All counts in elements unless the name says otherwise.
template <class F>
struct GemmConfig : F {
  // mma.sync.m16n8k16: a 16x16 tile of A times a 16x8 tile of B.
  static constexpr int mma_m = 16;
  static constexpr int mma_n = 8;
  static constexpr int mma_k = 16;

  // The tile of C that a warp owns, and how many mma tiles (accumulators) it has.
  static constexpr int WM = quotient(F::BM, F::warps_per_block_m);
  static constexpr int WN = quotient(F::BN, F::warps_per_block_n);
  static constexpr int acc_per_warp_m = WM / mma_m;
  static constexpr int acc_per_warp_n = WN / mma_n;

  // The grid in tiles, the steps along K of a block, and the steps of a warp inside one of them.
  static constexpr int GM = quotient_up(F::M, F::BM);
  static constexpr int GN = quotient_up(F::N, F::BN);
  static constexpr int64_t blocks = int64_t{GM} * GN;
  static constexpr int block_k_iters = quotient_up(F::K, F::BK);
  static constexpr int warp_k_iters = F::BK / mma_k;

  static constexpr int consumer_warps = F::warps_per_block_m * F::warps_per_block_n;
  static constexpr int warps = consumer_warps + F::producer_warps;
  static constexpr int threads = 32 * warps;

  // One tile of each operand in shared memory, bf16.
  static constexpr int As_bytes = F::BM * F::BK * 2;
  static constexpr int Bs_bytes = F::BN * F::BK * 2;
};
