// In what order are configs tried? First what the model finds promising, one of each kind; then, in
// turns, what lies next to the fastest so far.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results.h"
#include "space.h"

class Search {
 public:
  // `tried` are keys not to be tried again. With a `fixed` list of legal configs, that is all there
  // is.
  Search(
      const Space& space,
      const std::set<std::string>& tried,
      const std::optional<std::vector<ConfigValues>>& fixed);

  // The next config to try; nothing if all have been. `fastest` are the keys of the fastest so far,
  // the best first; `elapsed` is the share of the search's time that has passed, 0 to 1.
  std::optional<Candidate> next(const std::vector<std::string>& fastest, double elapsed);

  size_t candidates() const { return ranked_.size(); }

 private:
  std::optional<Candidate> next_ranked();
  std::optional<Candidate> next_near(const std::vector<std::string>& fastest);
  bool take(const ConfigValues& values);

  Space space_;
  bool is_fixed_;
  std::vector<Candidate> ranked_;
  size_t next_ranked_ = 0;
  std::set<std::string> taken_;
  bool near_turn_ = false;
};
