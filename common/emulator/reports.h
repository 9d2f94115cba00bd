// The broken rules of a block, or of a launch: the same fault is kept once, with a count.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "emulator.h"
#include "messages.h"

namespace emulator {

// A report, and what makes another one the same: the rule and the lines.
struct KeyedReport {
  std::string key;
  Report report;
};

class Reports {
 public:
  void reset();

  // Counts a broken rule. The first of its kind at these two lines gets a text.
  template <class... Facts>
  void add(
      Message<sizeof...(Facts)> message,
      CallSite here,
      CallSite other,
      const Facts&... facts) {
    const std::string rule = std::to_string(static_cast<int>(message.rule));
    const std::string key = rule + "|" + where(here) + "|" + where(other);
    if (!count_again(key, 1)) add_first(key, message.rule, say(message, facts...));
  }
  void add_first(const std::string& key, HazardRule rule, const std::string& text);

  // Adds what another block has reported.
  void merge(KeyedReport other);

  std::vector<KeyedReport> take() { return std::move(reports_); }

 private:
  bool count_again(const std::string& key, uint64_t times);

  std::vector<KeyedReport> reports_;
  std::unordered_map<std::string, size_t> place_of_key_;
};

}  // namespace emulator
