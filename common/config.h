// The tunables of this stage: edit a value, or override it for one build, as in `make 02 BM=64`.
// The rules between them are in common/config_rules.inc; make names the one that a value breaks.
// A config.h lists its tunables, one a line, as `field("NAME", default)` in a struct `Fields`; the
// rest follows from them in `GemmConfig<Fields>`. `make 02 BM=64` overrides a field for one build:
// make puts the name and the value into CONFIG_OVERRIDES, where field() finds them. What is true of
// a field in every stage is its row in config_fields.inc.
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

constexpr bool is_in_the_list(const char* name) {
#define FIELD(listed, ...) \
  if (same_text(name, #listed)) return true;
#include "config_fields.inc"
  return false;
}

// The value of a tunable: the one that make was given, else `by_default`. A value that no int holds
// does not compile, nor does a name without a row.
template <class Number>
constexpr int field(const char* name, Number by_default) {
  static_assert(Number(1) / 2 == 0, "a field of config.h must be a whole number");
  long long value = by_default;
  if (!is_in_the_list(name)) throw "this field of config.h needs a row in common/config_fields.inc";
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
#define FIELD(name, value, ...) static constexpr int name = value;
#include "config_fields.inc"
  static constexpr int producer_warps = 0;  // which only issue TMA: part of a stage, not tunable
};

// a / b rounded down or up, and 0 where it makes no sense, so that a field of 0 reaches the checks
// (config_checks.h), which have a sentence for it.
constexpr long long quotient(long long a, long long b) { return a > 0 && b > 0 ? a / b : 0; }
constexpr long long quotient_up(long long a, long long b) {
  return a > 0 && b > 0 ? (a - 1) / b + 1 : 0;
}

struct ArchLimits;
struct Violation;

// A config as plain numbers, legal or not, and what follows from them. All counts in elements
// unless the name says otherwise. In 64 bits the fields of an illegal config overflow nothing that
// is asked for before the rule that refuses it.
struct ConfigValues {
#define FIELD(name, value, ...) long long name = value;
#include "config_fields.inc"
  long long producer_warps = 0;
  long long smem_bytes = 0;  // sizeof(SharedStorage), or 0 where it is not known

  // The tile of C that a warp owns.
  constexpr long long WM() const { return quotient(BM, warps_per_block_m); }
  constexpr long long WN() const { return quotient(BN, warps_per_block_n); }

  // The grid in tiles, and the steps of a block along K.
  constexpr long long GM() const { return quotient_up(M, BM); }
  constexpr long long GN() const { return quotient_up(N, BN); }
  constexpr long long blocks() const { return GM() * GN(); }
  constexpr long long k_tiles() const { return quotient_up(K, BK); }

  constexpr long long consumer_warps() const { return warps_per_block_m * warps_per_block_n; }
  constexpr long long warps() const { return consumer_warps() + producer_warps; }
  constexpr long long threads() const { return 32 * warps(); }

  // One tile of each operand in shared memory, bf16.
  constexpr long long As_bytes() const { return BM * BK * 2; }
  constexpr long long Bs_bytes() const { return BN * BK * 2; }

  // Registers that a thread needs at least: its accumulators, the sets of fragments that wait while
  // mma works on another, and a few for addresses and that other set, which may come in pieces.
  constexpr long long registers() const {
    return WM() * WN() / 32 + (wk_stages - 1) * (WM() + WN()) / 4 + 8;
  }

  // Registers that a thread can have so that min_blocks_per_sm blocks fit into an SM. Each of its
  // four schedulers has 16384, and hands them out to warps in units of 8 per thread.
  constexpr long long registers_available() const {
    const long long warps_per_scheduler = (min_blocks_per_sm * warps() + 3) / 4;
    return 16384 / 32 / warps_per_scheduler / 8 * 8;
  }

  // The first rule that is broken on an SM with these limits (config_checks.h).
  constexpr Violation first_violation(const ArchLimits& limits) const;
};

template <class F>
constexpr ConfigValues config_values(long long smem_bytes = 0) {
  ConfigValues values;
#define FIELD(name, ...) values.name = F::name;
#include "config_fields.inc"
  values.producer_warps = F::producer_warps;
  values.smem_bytes = smem_bytes;
  return values;
}

// The same for a kernel: the fields, and what follows from them, as constants.
template <class F>
struct GemmConfig : F {
  static constexpr ConfigValues values = config_values<F>();

  // mma.sync.m16n8k16: a 16x16 tile of A times a 16x8 tile of B.
  static constexpr int mma_m = 16;
  static constexpr int mma_n = 8;
  static constexpr int mma_k = 16;

  // The tile of C that a warp owns, and how many mma tiles (accumulators) it has.
  static constexpr int WM = values.WM();
  static constexpr int WN = values.WN();
  static constexpr int acc_per_warp_m = WM / mma_m;
  static constexpr int acc_per_warp_n = WN / mma_n;

  // The grid in tiles, the steps along K of a block, and the steps of a warp inside one of them.
  static constexpr int GM = values.GM();
  static constexpr int GN = values.GN();
  static constexpr int64_t blocks = values.blocks();
  static constexpr int block_k_iters = values.k_tiles();
  static constexpr int warp_k_iters = F::BK / mma_k;

  static constexpr int consumer_warps = values.consumer_warps();
  static constexpr int warps = values.warps();
  static constexpr int threads = values.threads();

  // One tile of each operand in shared memory, bf16.
  static constexpr int As_bytes = values.As_bytes();
  static constexpr int Bs_bytes = values.Bs_bytes();
};
