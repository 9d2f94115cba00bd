#include "steady.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "../device/inputs.h"
#include "../support/statistics.h"

namespace {

constexpr int least_rounds = 3;

// The medians of those that are known.
std::optional<double> known_median(const std::vector<double>& known) {
  if (known.empty()) return std::nullopt;
  return median(known);
}

}  // namespace

std::vector<size_t> drawn_order(size_t count, uint64_t seed, uint64_t round) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  uint64_t bits = mix_bits(mix_bits(seed) + round);
  for (size_t left = count; left > 1; left--) {
    bits = mix_bits(bits);
    std::swap(order[left - 1], order[bits % left]);
  }
  return order;
}

bool fits_another_round(int done, int wanted, double elapsed_s, double longest_s, double budget_s) {
  if (done >= wanted) return false;
  return done < least_rounds || elapsed_s + longest_s <= budget_s;
}

void Settling::add(double ms, const std::optional<double>& clock_mhz) {
  elapsed_ms_ += ms;
  window_length_ms_ += ms;
  if (clock_mhz) {
    known_ms_ += ms;
    clocks_ += ms * *clock_mhz;
  }
  if (window_length_ms_ >= window_ms) close_window();
}

void Settling::close_window() {
  std::optional<double> mhz;
  if (known_ms_ > 0) mhz = clocks_ / known_ms_;
  const bool agree = mhz && last_mhz_ && std::abs(*mhz - *last_mhz_) <= agreement * *last_mhz_;
  if (agree && elapsed_ms_ >= least_ms) settled_ = true;
  last_mhz_ = mhz;
  window_length_ms_ = known_ms_ = clocks_ = 0;
}

SteadyFigure steady_figure(double flops, const std::vector<SteadyRound>& rounds) {
  if (rounds.empty()) throw std::invalid_argument("a figure of no rounds");
  SteadyFigure figure;
  std::vector<double> heated, clock, power, joules;
  for (const SteadyRound& round : rounds) {
    figure.round_ms.push_back(round.ms);
    heated.push_back(round.heated_ms);
    if (round.settled) figure.settled++;
    if (round.clock_mhz) clock.push_back(*round.clock_mhz);
    if (!round.power_w) continue;
    power.push_back(*round.power_w);
    joules.push_back(*round.power_w * round.ms * 1e-3);
  }
  const auto tflops = [flops](double ms) { return flops / (ms * 1e-3) * 1e-12; };
  const auto [least, most] = std::minmax_element(figure.round_ms.begin(), figure.round_ms.end());
  figure.ms = median(figure.round_ms);
  figure.tflops = tflops(figure.ms);
  figure.slowest = tflops(*most);
  figure.fastest = tflops(*least);
  figure.heated_ms = median(heated);
  figure.clock_mhz = known_median(clock);
  figure.power_w = known_median(power);
  figure.joules = known_median(joules);
  return figure;
}

std::vector<Bin> binned(
    const std::vector<std::vector<Piece>>& repetitions,
    double bin_ms,
    double until_ms) {
  struct Content {
    std::vector<double> ms, clock_mhz, power_w;
  };
  std::map<int64_t, Content> contents;
  for (const std::vector<Piece>& pieces : repetitions) {
    for (const Piece& piece : pieces) {
      const double middle = piece.end_ms - piece.ms / 2;
      if (middle >= until_ms) continue;
      Content& content = contents[static_cast<int64_t>(middle / bin_ms)];
      content.ms.push_back(piece.ms / piece.runs);
      if (piece.clock_mhz) content.clock_mhz.push_back(*piece.clock_mhz);
      if (piece.power_w) content.power_w.push_back(*piece.power_w);
    }
  }
  std::vector<Bin> bins;
  for (const auto& [number, content] : contents) {
    const double from = static_cast<double>(number) * bin_ms;
    bins.push_back(
        {from, from + bin_ms, median(content.ms), known_median(content.clock_mhz),
         known_median(content.power_w)});
  }
  return bins;
}
