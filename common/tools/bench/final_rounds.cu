#include "final_rounds.h"

#include "../../host/support/statistics.h"

namespace {

constexpr int final_rounds = 2;

}  // namespace

size_t find_fastest(
    std::vector<Contestant>& contestants,
    const Timer& timer,
    const char* what,
    const Progress& progress) {
  for (int round = 0; round < final_rounds; round++) {
    progress(what, round, final_rounds);
    for (Contestant& contestant : contestants) timer.time(contestant);
  }
  size_t fastest = 0;
  double least_ms = 0;
  for (size_t i = 0; i < contestants.size(); i++) {
    const double ms = median(contestants[i].milliseconds);
    if (i > 0 && ms >= least_ms) continue;
    least_ms = ms;
    fastest = i;
  }
  return fastest;
}
