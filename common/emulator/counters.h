// What a launch did, in numbers. The rows are in counters.inc; whoever shows them walks over
// counter_rows.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace emulator {

// Of one launch, over all blocks.
struct Counters {
#define COUNTER(name, ...) uint64_t name = 0;
#include "counters.inc"
#undef COUNTER

  Counters& operator+=(const Counters& other) {
#define COUNTER(name, ...) name += other.name;
#include "counters.inc"
#undef COUNTER
    return *this;
  }
};

// By a name of its own: what nvcc makes of the declaration, g++ warns of.
using CounterMember = uint64_t Counters::*;

// A row of counters.inc.
struct CounterRow {
  struct Line {
    const char* label;  // nullptr: `run` has no line for it
    const char* text;
  };
  struct Column {
    int place;        // from the left, 1 is the first; 0: `make compare` has no column for it
    const char* per;  // the counter that divides it, or "k-tile"
    int decimals;
    const char* heading;  // four words, with '/' between
  };
  const char* name;
  CounterMember value;
  const char* unit;
  const char* meaning;
  bool in_json;
  Line line;
  Column column;
};

namespace counter_words {

constexpr bool in_json = true, not_in_json = false;
constexpr CounterRow::Line no_line = {nullptr, ""};
constexpr CounterRow::Column no_column = {0, "", 0, ""};

constexpr CounterRow::Line line(const char* label, const char* text) { return {label, text}; }

constexpr CounterRow::Column column(int place, const char* per, int decimals, const char* heading) {
  return {place, per, decimals, heading};
}

inline constexpr CounterRow rows[] = {
#define COUNTER(name, ...) {#name, &Counters::name, __VA_ARGS__},
#include "counters.inc"
#undef COUNTER
};

}  // namespace counter_words

inline constexpr auto& counter_rows = counter_words::rows;

// The counter of this name. Throws std::out_of_range where counters.inc has none.
inline uint64_t value_of(const Counters& counters, const std::string& name) {
  for (const CounterRow& row : counter_rows) {
    if (name == row.name) return counters.*row.value;
  }
  throw std::out_of_range("counters.inc has no counter " + name);
}

}  // namespace emulator
