#include "steady_timer.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "../device/cuda_check.h"
#include "clock_meter.h"

namespace {

constexpr double timed_ms = 300;
constexpr double piece_ms = 20;       // one pair of events each; far longer than it takes to launch
constexpr size_t most_in_flight = 3;  // pieces that wait their turn while an older one is looked at
constexpr double power_every_ms = 50;  // the driver has no new figure more often
constexpr int estimate_runs = 5;

// A piece that may still run.
struct InFlight {
  Stopwatch watch;
  ClockMeter clock{1};
};

// Launches of one kernel, with no gap between them: while one piece is looked at, others wait in
// the stream.
class BackToBack {
 public:
  BackToBack(const Nvml& nvml, const SteadyTimer::Run& run, int runs_of_piece)
      : nvml_(nvml), run_(run), runs_(runs_of_piece) {}

  // Hands each piece to `wants_more` once it has finished, until that says no.
  template <class WantsMore>
  void run_while(const WantsMore& wants_more) {
    begin_.start();
    begin_.stop();
    for (size_t number = 0;; number++) {
      InFlight& slot = slots_[number % slots_.size()];
      if (number >= slots_.size() && !wants_more(finished(slot))) break;
      launch(slot);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
  }

  const Readings& readings() const { return readings_; }

 private:
  void launch(InFlight& slot) {
    slot.clock.start(0);
    slot.watch.start();
    for (int i = 0; i < runs_; i++) run_();
    slot.clock.stop(0);  // a few microseconds of the piece, so that waiting for the watch is enough
    slot.watch.stop();
  }

  Piece finished(const InFlight& slot) {
    slot.watch.wait();
    Piece piece;
    piece.end_ms = slot.watch.milliseconds_since(begin_);
    piece.ms = slot.watch.milliseconds();
    piece.runs = runs_;
    piece.clock_mhz = slot.clock.mhz();
    if (piece.end_ms >= next_power_ms_) {
      const size_t before = readings_.power_w.size();
      readings_.take(nvml_);
      if (readings_.power_w.size() > before) piece.power_w = readings_.power_w.back();
      next_power_ms_ = piece.end_ms + power_every_ms;
    }
    return piece;
  }

  const Nvml& nvml_;
  const SteadyTimer::Run& run_;
  int runs_;
  Stopwatch begin_;
  std::array<InFlight, most_in_flight + 1> slots_;
  Readings readings_;
  double next_power_ms_ = 0;
};

// What the timed pieces of a round give together.
class TimedPieces {
 public:
  void add(const Piece& piece) {
    ms_ += piece.ms;
    runs_ += piece.runs;
    if (piece.clock_mhz) clock_.add(*piece.clock_mhz, piece.ms);
    if (piece.power_w) power_.add(*piece.power_w, 1);
  }

  double ms() const { return ms_; }

  SteadyRound round(const Settling& settling) const {
    return {
        ms_ / runs_, settling.elapsed_ms(), settling.has_settled(), clock_.value(), power_.value()};
  }

 private:
  struct Mean {
    double sum = 0, weight = 0;
    void add(double value, double its_weight) {
      sum += value * its_weight;
      weight += its_weight;
    }
    std::optional<double> value() const {
      return weight > 0 ? std::optional(sum / weight) : std::nullopt;
    }
  };

  double ms_ = 0;
  int64_t runs_ = 0;
  Mean clock_, power_;
};

}  // namespace

int SteadyTimer::count_runs(const Run& run, double ms) const {
  run();
  Stopwatch watch;
  watch.start();
  for (int i = 0; i < estimate_runs; i++) run();
  watch.stop();
  CUDA_CHECK(cudaDeviceSynchronize());
  return std::max(1, static_cast<int>(ms / (watch.milliseconds() / estimate_runs)));
}

SteadyRound SteadyTimer::time(const Run& run, uint64_t& throttle_reasons) const {
  BackToBack launches(nvml_, run, count_runs(run, piece_ms));
  Settling settling;
  TimedPieces timed;
  launches.run_while([&](const Piece& piece) {
    if (settling.is_over()) {
      timed.add(piece);
    } else {
      settling.add(piece.ms, piece.clock_mhz);
    }
    return timed.ms() < timed_ms;
  });
  throttle_reasons |= launches.readings().throttle_reasons;
  return timed.round(settling);
}

std::vector<Piece> SteadyTimer::record(const Run& run, double ms, int runs_of_piece) const {
  std::vector<Piece> pieces;
  BackToBack launches(nvml_, run, runs_of_piece);
  launches.run_while([&](const Piece& piece) {
    pieces.push_back(piece);
    return piece.end_ms < ms;
  });
  return pieces;
}
