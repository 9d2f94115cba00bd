// Which configs are legal? The rules stand in config_rules.inc, one list for three uses:
//   - `make NN` runs them before it compiles the kernel, and prints one sentence (sentence_of)
//   - a build without make meets a static_assert (ConfigIsLegal, SharedMemoryFits)
//   - tests and tools ask about any number of configs at run time (first_violation)
#pragma once

#include <cstddef>
#include <cstdio>

#include "config.h"

// What an SM of an architecture offers.
struct ArchLimits {
  int arch = 0;            // 120 stands for sm_120, 120a and 120f
  int smem_per_block = 0;  // dynamic shared memory of a block at most, bytes
  int smem_per_sm = 0;     // bytes
  int warps_per_sm = 0;
  int blocks_per_sm = 0;
};

// The limits of `arch`, as 120; those of sm_120 where it is none of archs.inc.
constexpr ArchLimits limits_of(int arch) {
#define ARCH(number, ...)                                    \
  struct Arch##number : ArchLimits {                         \
    constexpr Arch##number() { arch = number, __VA_ARGS__; } \
  };                                                         \
  if (arch == number) return Arch##number();
#include "archs.inc"
  return limits_of(120);
}

// How a value may be bound by its limit.
enum class Relation { at_least, at_most, multiple_of, a_swizzle_up_to, fit_into };

constexpr bool holds(Relation relation, long long value, long long limit) {
  switch (relation) {
    case Relation::at_least: return value >= limit;
    case Relation::at_most: return value <= limit;
    case Relation::fit_into: return value <= limit;
    case Relation::multiple_of: return value % limit == 0;
    case Relation::a_swizzle_up_to:
      return value == 0 || value == 32 || value == 64 || value == limit;
  }
  return false;
}

constexpr const char* text_of(Relation relation) {
  switch (relation) {
    case Relation::at_least: return "at least";
    case Relation::at_most: return "at most";
    case Relation::fit_into: return "at most";
    case Relation::multiple_of: return "a multiple of";
    case Relation::a_swizzle_up_to: return "0, 32, 64 or";
  }
  return "";
}

// One name per rule, in the order of the list.
enum class ConfigRule {
  none,
#define RULE(id, ...) id,
#include "config_rules.inc"
#undef RULE
};

// The rule that a config breaks, and by what.
struct Violation {
  ConfigRule rule = ConfigRule::none;
  const char* what = "";
  long long value = 0;
  Relation relation = Relation::at_most;
  long long limit = 0;
  const char* advice = "";
};

constexpr Violation ConfigValues::first_violation(const ArchLimits& limits) const {
#define RULE(id, what, value, relation, limit, advice)                       \
  if (!holds(Relation::relation, value, limit)) {                            \
    return {ConfigRule::id, what, value, Relation::relation, limit, advice}; \
  }
#include "config_rules.inc"
#undef RULE
  return {};
}

// One line that says what is wrong, the limit, and what to change.
struct RuleSentence {
  char text[500];
};

inline RuleSentence sentence_of(const Violation& broken) {
  RuleSentence sentence;
  char note[96] = "";
  if (broken.relation == Relation::multiple_of) {
    const long long below = broken.value / broken.limit * broken.limit;
    const long long above = below + broken.limit;
    if (below > 0) {
      snprintf(note, sizeof note, " (like %lld or %lld)", below, above);
    } else {
      snprintf(note, sizeof note, " (like %lld)", above);
    }
  }
  if (broken.relation == Relation::fit_into) {
    snprintf(note, sizeof note, " (over by %lld bytes)", broken.value - broken.limit);
  }
  snprintf(
      sentence.text, sizeof sentence.text, "%s = %lld must be %s %lld%s: %s", broken.what,
      broken.value, text_of(broken.relation), broken.limit, note, broken.advice);
  return sentence;
}

// The same without make: a config that breaks a rule does not compile. The compiler's message has
// the rule's text, and its name, value and limit in `BrokenRule<ConfigRule::BM_most, 512, 256>`.
template <ConfigRule rule, long long value, long long limit>
struct BrokenRule {
  static constexpr bool none = true;
};
#define RULE(id, what, its_value, relation, its_limit, advice) \
  template <long long value, long long limit>                  \
  struct BrokenRule<ConfigRule::id, value, limit> {            \
    static constexpr bool none = false;                        \
    static_assert(value != value, what ": " advice);           \
  };
#include "config_rules.inc"
#undef RULE

// static_assert(ConfigIsLegal<Cfg>::value): the rules that need the fields only.
template <class Cfg, long long smem_bytes = 0>
struct ConfigIsLegal {
  static constexpr Violation broken =
      config_values<Cfg>(smem_bytes).first_violation(limits_of(CONFIG_ARCH));
  static constexpr bool value = BrokenRule<broken.rule, broken.value, broken.limit>::none;
};

// static_assert(SharedMemoryFits<Cfg, sizeof(SharedStorage<Cfg>)>::value): all rules.
template <class Cfg, size_t smem_bytes>
using SharedMemoryFits = ConfigIsLegal<Cfg, static_cast<long long>(smem_bytes)>;

// What limits how many blocks an SM runs at once.
struct Occupancy {
  int blocks;
  int warps;
};

// Occupancy of a block of `warps` warps with `registers` a thread and `smem_bytes` of shared
// memory.
constexpr Occupancy occupancy(
    const ArchLimits& limits,
    int warps,
    int registers,
    long long smem_bytes) {
  const int registers_rounded = registers < 8 ? 8 : (registers + 7) / 8 * 8;
  const int warps_by_registers = 16384 / 32 / registers_rounded * 4;
  int blocks = limits.blocks_per_sm;
  const int by_warps = limits.warps_per_sm / warps;
  const int by_registers = warps_by_registers / warps;
  const int by_smem = static_cast<int>(limits.smem_per_sm / (smem_bytes + 1024));
  if (by_warps < blocks) blocks = by_warps;
  if (by_registers < blocks) blocks = by_registers;
  if (by_smem < blocks) blocks = by_smem;
  return {blocks, blocks * warps};
}
