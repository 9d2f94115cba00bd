#include "search.h"

namespace {

// From this share of the time on, every second config is a neighbour of a fast one.
constexpr double broad_share = 0.4;
constexpr size_t most_parents = 8;

}  // namespace

Search::Search(
    const Space& space,
    const std::set<std::string>& tried,
    const std::optional<std::vector<ConfigValues>>& fixed)
    : space_(space), is_fixed_(fixed.has_value()), taken_(tried) {
  if (!fixed) {
    ranked_ = ranked_candidates(space);
    return;
  }
  for (const ConfigValues& values : *fixed) ranked_.push_back(predicted(space, values));
}

bool Search::take(const ConfigValues& values) {
  return taken_.insert(key_of(space_, values)).second;
}

std::optional<Candidate> Search::next_ranked() {
  while (next_ranked_ < ranked_.size()) {
    const Candidate& candidate = ranked_[next_ranked_++];
    if (take(candidate.values)) return candidate;
  }
  return std::nullopt;
}

std::optional<Candidate> Search::next_near(const std::vector<std::string>& fastest) {
  for (size_t i = 0; i < fastest.size() && i < most_parents; i++) {
    ConfigValues parent = space_.base;
    if (!read_config_line(fastest[i], space_.fields, parent).empty()) continue;
    for (const ConfigValues& values : neighbours(space_, parent)) {
      if (take(values)) return predicted(space_, values);
    }
  }
  return std::nullopt;
}

std::optional<Candidate> Search::next(const std::vector<std::string>& fastest, double elapsed) {
  if (is_fixed_) return next_ranked();
  near_turn_ = elapsed > broad_share && !near_turn_;
  std::optional<Candidate> candidate = near_turn_ ? next_near(fastest) : next_ranked();
  if (!candidate) candidate = near_turn_ ? next_ranked() : next_near(fastest);
  return candidate;
}
