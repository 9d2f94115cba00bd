// The rules of steady state: orders that are drawn, when a clock has settled, medians of rounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../../host/measure/steady.h"

namespace {

// Feeds stretches of 20 ms at the clocks that `mhz_at` says, until it is over; returns the time.
template <class ClockAt>
double time_until_over(Settling& settling, const ClockAt& mhz_at) {
  while (!settling.is_over()) settling.add(20, mhz_at(settling.elapsed_ms()));
  return settling.elapsed_ms();
}

SteadyRound round_of(double ms, std::optional<double> power_w = {}) {
  SteadyRound round;
  round.ms = ms;
  round.power_w = power_w;
  return round;
}

TEST_CASE("an order is every contestant once, and the same for the same seed and round") {
  for (const size_t count : {0, 1, 2, 13}) {
    std::vector<size_t> order = drawn_order(count, 1, 0);
    CHECK(order == drawn_order(count, 1, 0));
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < count; i++) CHECK(order.at(i) == i);
    CHECK(order.size() == count);
  }
}

TEST_CASE("rounds and seeds draw orders of their own, and each contestant follows each other") {
  CHECK(drawn_order(13, 1, 0) != drawn_order(13, 1, 1));
  CHECK(drawn_order(13, 1, 0) != drawn_order(13, 2, 0));
  CHECK(drawn_order(13, 1, 1) != drawn_order(13, 2, 0));  // and not one sequence, a step further
  std::set<std::vector<size_t>> orders;
  for (uint64_t round = 0; round < 200; round++) orders.insert(drawn_order(3, 1, round));
  CHECK(orders.size() == 6);
  // Every place is taken by every contestant about as often.
  int first[4] = {};
  for (uint64_t round = 0; round < 4000; round++) first[drawn_order(4, 7, round)[0]]++;
  for (const int times : first) CHECK(times == doctest::Approx(1000).epsilon(0.1));
}

TEST_CASE("the order of a seed stays what it was when figures were published with it") {
  CHECK(drawn_order(5, 1, 0) == std::vector<size_t>{1, 3, 4, 2, 0});
}

TEST_CASE("a clock that stands still has settled after a second, and not before") {
  Settling settling;
  CHECK(time_until_over(settling, [](double) { return 1500.0; }) == doctest::Approx(1000));
  CHECK(settling.has_settled());
}

TEST_CASE("a clock settles where two successive means over 200 ms agree within half a percent") {
  // A step of 1 % in the window that ends at 1000 ms: only the two after it agree.
  Settling step;
  const auto at_step = [](double ms) { return ms < 800 ? 1500.0 : 1515.0; };
  CHECK(time_until_over(step, at_step) == doctest::Approx(1200));
  Settling small;  // 0.4 % is near enough
  const auto at_small = [](double ms) { return ms < 800 ? 1500.0 : 1506.0; };
  CHECK(time_until_over(small, at_small) == doctest::Approx(1000));
  Settling falling;  // 1 % in each window until 1600 ms
  const auto at_falling = [](double ms) { return 1500 - 15 * std::min(8.0, std::floor(ms / 200)); };
  CHECK(time_until_over(falling, at_falling) == doctest::Approx(2000));
  CHECK(falling.has_settled());
}

TEST_CASE("noise within a window does not keep a clock from settling") {
  Settling settling;
  const auto noisy = [](double ms) { return static_cast<int>(ms / 20) % 2 == 0 ? 1400.0 : 1600.0; };
  CHECK(time_until_over(settling, noisy) == doctest::Approx(1000));
}

TEST_CASE("a clock that never settles, or is not known, is heated for three seconds") {
  Settling swinging;
  const auto swing = [](double ms) {
    return static_cast<int>(ms / 200) % 2 == 0 ? 1500.0 : 1600.0;
  };
  CHECK(time_until_over(swinging, swing) == doctest::Approx(3000));
  CHECK(!swinging.has_settled());
  Settling unknown;
  const auto nothing = [](double) { return std::optional<double>(); };
  CHECK(time_until_over(unknown, nothing) == doctest::Approx(3000));
  CHECK(!unknown.has_settled());
}

TEST_CASE("the mean of a window is weighted by time, and leaves out what is not known") {
  Settling settling;
  for (int window = 0; window < 5; window++) {
    // 150 ms at 1000 and 50 at 1400 are 1100 on average, as 200 ms at 1100 are.
    settling.add(window % 2 == 0 ? 150 : 190, window % 2 == 0 ? 1000 : 1100);
    settling.add(window % 2 == 0 ? 50 : 10, window % 2 == 0 ? std::optional(1400.0) : std::nullopt);
  }
  CHECK(settling.has_settled());
}

TEST_CASE("three rounds are measured, and more while the longest still fits") {
  CHECK(fits_another_round(0, 5, 0, 0, 110));
  CHECK(fits_another_round(2, 5, 100, 50, 110));
  CHECK(!fits_another_round(3, 5, 100, 20, 110));
  CHECK(fits_another_round(3, 5, 60, 20, 110));
  CHECK(!fits_another_round(5, 5, 60, 20, 110));
  CHECK(!fits_another_round(1, 1, 0, 0, 110));
}

TEST_CASE("a steady figure is the median of rounds, with the slowest and the fastest beside it") {
  const std::vector<SteadyRound> rounds = {round_of(2), round_of(4), round_of(1)};
  const SteadyFigure figure = steady_figure(4e9, rounds);
  CHECK(figure.ms == 2);
  CHECK(figure.tflops == doctest::Approx(2));
  CHECK(figure.slowest == doctest::Approx(1));
  CHECK(figure.fastest == doctest::Approx(4));
  CHECK(figure.round_ms == std::vector<double>{2, 4, 1});
  CHECK(!figure.clock_mhz);
  CHECK(!figure.joules);
  CHECK_THROWS(steady_figure(1, {}));
}

TEST_CASE("joules of a launch are power times time, in each round, and their median") {
  const std::vector<SteadyRound> rounds = {
      round_of(2, 700), round_of(3, 600), round_of(4), round_of(10, 100)};
  const SteadyFigure figure = steady_figure(1e9, rounds);
  CHECK(*figure.joules == doctest::Approx(1.4));  // of 1.4, 1.8 and 1.0
  CHECK(*figure.power_w == doctest::Approx(600));
}

TEST_CASE("pieces of a curve lie in bins by their middle, of all repetitions together") {
  const auto piece = [](double end_ms, double ms, int runs) {
    Piece made;
    made.end_ms = end_ms;
    made.ms = ms;
    made.runs = runs;
    return made;
  };
  std::vector<std::vector<Piece>> repetitions = {
      {piece(10, 10, 5), piece(21, 10, 4), piece(75, 10, 2), piece(110, 10, 1)},
      {piece(12, 12, 3)}};
  repetitions[0][0].clock_mhz = 1500;
  const std::vector<Bin> bins = binned(repetitions, 20, 100);
  REQUIRE(bins.size() == 2);  // between them are empty ones, and the last piece begins too late
  CHECK(bins[0].from_ms == 0);
  CHECK(bins[0].to_ms == 20);
  CHECK(bins[0].ms == doctest::Approx(2.5));  // of 2, 2.5 and 4 a launch
  CHECK(*bins[0].clock_mhz == 1500);
  CHECK(!bins[0].power_w);
  CHECK(bins[1].from_ms == 60);
  CHECK(bins[1].ms == 5);
  CHECK(!bins[1].clock_mhz);
}

}  // namespace
