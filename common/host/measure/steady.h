// The rules by which a GPU in steady state is timed: in which order, from when on, and what its
// rounds say together. A GPU at its power limit gives a kernel for some 100 ms what the one before
// left it (docs/steady_state.md). The part that needs a GPU is steady_timer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// The numbers from 0 to count - 1 in the order that `seed` draws for this round: the same on every
// machine, another in every round.
std::vector<size_t> drawn_order(size_t count, uint64_t seed, uint64_t round);

// Whether to begin another round after `done` of `wanted`, which took `elapsed_s` together and the
// longest of them `longest_s`. Three are measured in any case, more as `budget_s` allows.
bool fits_another_round(int done, int wanted, double elapsed_s, double longest_s, double budget_s);

// Decides when the SM clock of a kernel that runs back to back has settled.
class Settling {
 public:
  static constexpr double window_ms = 200;    // of which the means are compared
  static constexpr double agreement = 0.005;  // of two successive ones, as a share
  static constexpr double least_ms = 1000, most_ms = 3000;

  // The next stretch of time, and the clock in it, where it is known.
  void add(double ms, const std::optional<double>& clock_mhz);

  bool has_settled() const { return settled_; }
  bool is_over() const { return settled_ || elapsed_ms_ >= most_ms; }  // settled, or time is up
  double elapsed_ms() const { return elapsed_ms_; }

 private:
  void close_window();

  double elapsed_ms_ = 0, window_length_ms_ = 0;
  double known_ms_ = 0, clocks_ = 0;  // of the window: where the clock is known
  std::optional<double> last_mhz_;    // the mean of the window before
  bool settled_ = false;
};

// One round of one contestant.
struct SteadyRound {
  double ms = 0;         // of a launch, on average
  double heated_ms = 0;  // before that
  bool settled = false;  // else it was heated for as long as is allowed
  std::optional<double> clock_mhz, power_w;
};

// What the rounds say together: medians, and the slowest and the fastest of them.
struct SteadyFigure {
  double tflops = 0, slowest = 0, fastest = 0;
  double ms = 0, heated_ms = 0;
  int settled = 0;                                   // rounds
  std::vector<double> round_ms;                      // of a launch
  std::optional<double> clock_mhz, power_w, joules;  // joules of a launch: power times time
};

// Of a launch that does `flops` operations. There must be a round.
SteadyFigure steady_figure(double flops, const std::vector<SteadyRound>& rounds);

// A stretch of launches, back to back.
struct Piece {
  double end_ms = 0;  // since the first of them
  double ms = 0;
  int runs = 0;
  std::optional<double> clock_mhz, power_w;
};

// What lies in one bin of time, over all repetitions of the same: medians.
struct Bin {
  double from_ms = 0, to_ms = 0;
  double ms = 0;  // of a launch
  std::optional<double> clock_mhz, power_w;
};

// Each piece goes to the bin that its middle lies in; bins that stay empty are left out, and so is
// what begins after `until_ms`.
std::vector<Bin> binned(
    const std::vector<std::vector<Piece>>& repetitions,
    double bin_ms,
    double until_ms);
