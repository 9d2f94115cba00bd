#include "reports.h"

namespace emulator {

void Reports::reset() {
  reports_.clear();
  place_of_key_.clear();
}

void Reports::add_first(const std::string& key, HazardRule rule, const std::string& text) {
  static const struct {
    Report::Kind kind;
    const char* title;
    const char* page;
  } titles[] = {
      {Report::Kind::raw, "Read too early (rule 1)", "rule-1-read-too-early"},
      {Report::Kind::war, "Refill too early (rule 2)", "rule-2-refill-too-early"},
      {Report::Kind::other, "Overlap (rule 3)", "rule-3-overlap"},
      {Report::Kind::other, "Protocol (rule 4)", "rule-4-protocol"},
      {Report::Kind::other, "Divergent warp", "divergence"},
      {Report::Kind::other, "Wrong fragments", "fragments"},
      {Report::Kind::other, "Bad address", "addresses"},
      {Report::Kind::deadlock, "Deadlock", "deadlock"},
  };
  const auto& title = titles[static_cast<int>(rule) - 1];
  const std::string all = say(messages::report, title.title, text, title.page);
  merge({key, {title.kind, all, 1}});
}

void Reports::merge(KeyedReport other) {
  if (count_again(other.key, other.report.count)) return;
  place_of_key_[other.key] = reports_.size();
  reports_.push_back(std::move(other));
}

bool Reports::count_again(const std::string& key, uint64_t times) {
  const auto seen = place_of_key_.find(key);
  if (seen == place_of_key_.end()) return false;
  reports_[seen->second].report.count += times;
  return true;
}

}  // namespace emulator
