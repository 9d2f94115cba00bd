#include "contest.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "../../host/device/cublas_matmul.h"
#include "../../host/device/cuda_check.h"
#include "../../host/measure/mma_peak.h"
#include "../../host/measure/steady_timer.h"
#include "../../host/support/system.h"
#include "../../host/support/terminal.h"
#include "../../host/verify/expected_product.h"
#include "bf16_output.h"
#include "launched_kernels.h"
#include "peers.h"

namespace {

// How long the best cuBLASLt algorithm is looked for: at the first size, which is the one that
// counts most, and at each other.
constexpr double first_search_seconds = 20, search_seconds = 4;

__global__ void before_rounding_kernel(
    const bf16* rounded,
    const float* expected,
    int64_t count,
    float* values) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    values[i] = before_rounding(rounded[i], expected[i]);
  }
}

// A contestant, how its result is checked, and what will be reported of it.
struct Entry {
  Measurement measurement;
  Contestant contestant;
  std::function<void()> leave_result;  // launches and leaves C to be verified; none: no result
  const ConfigDescription* kernel;     // of a stage: where its wrong elements lie; else nullptr
  std::vector<SteadyRound> steady = {};
};

// Matrices that serve every stage of this size: their guard bands depend on the tile.
const ConfigDescription& widest_guard(const std::vector<BenchStage>& stages) {
  const auto less = [](const BenchStage& a, const BenchStage& b) {
    return Matrices::guard_bytes(a.kernel.config) < Matrices::guard_bytes(b.kernel.config);
  };
  return std::max_element(stages.begin(), stages.end(), less)->kernel.config;
}

class Contest {
 public:
  Contest(std::vector<BenchStage>& stages, const BenchOptions& options, const Timer& timer)
      : stages_(stages),
        timer_(timer),
        config_(widest_guard(stages)),
        matrices_(config_),
        product_(matrices_.product()),
        expected_(config_, options.run.inputs),
        bf16_C_(product_.M * product_.N) {
    expected_.prepare(matrices_, options.run.seed);
  }

  void add_stages() {
    for (BenchStage& stage : stages_) add_stage(stage, stage.kernel.config.stage);
  }

  // Of those that are as their config.h says, the first and the last two: a light one, a heavy one,
  // and behind cuBLAS the one that follows them.
  void add_for_curve() {
    std::vector<BenchStage*> plain;
    for (BenchStage& stage : stages_) {
      if (stage.kernel.config.preset.empty()) plain.push_back(&stage);
    }
    const size_t count = plain.size();
    for (size_t i = 0; i + 1 < count; i++) {
      if (i == 0 || i + 2 == count) add_stage(*plain[i], plain[i]->kernel.config.stage);
    }
    add_cublas(OutputType::fp32);
    add_stage(*plain[count - 1], plain[count - 1]->kernel.config.stage);
  }

  // The last stage that is as its config.h says, once more: what two equal contestants differ by.
  void add_twin() {
    BenchStage* last = nullptr;
    for (BenchStage& stage : stages_) {
      if (stage.kernel.config.preset.empty()) last = &stage;
    }
    if (last != nullptr) add_stage(*last, twin_of(last->kernel.config.stage));
  }

  void add_cublas(OutputType type) {
    void* const C = type == OutputType::fp32 ? static_cast<void*>(matrices_.C()) : bf16_C_.get();
    const auto run = [this, C, type] { cublas_.run(product_, C, type); };
    run();
    Measurement known;
    known.contestant = type == OutputType::fp32 ? cublas_fp32 : cublas_bf16;
    known.kernel = launched_kernels([&](cudaStream_t stream) {
      cublas_.use_stream(stream);
      run();
    });
    cublas_.use_stream(nullptr);
    known.instruction = instruction_of(known.kernel, arch());
    if (type == OutputType::fp32) {
      add(known, product_.flops(), run, run);
    } else {
      add(known, product_.flops(), run, [this, run] { run_and_widen(run); });
    }
  }

  void add_best_lt(double seconds) {
    add_peer(cublaslt_mma_sync, find_best_lt(product_, matrices_.C(), arch(), timer_, seconds));
  }

  void add_best_cutlass() {
    add_peer(cutlass_sm80, find_best_cutlass(product_, matrices_.C(), timer_));
  }

  void add_mma_peak(std::optional<MmaLoop>& loop) {
    peak_.reset(new MmaPeak(product_, stages_[0].device.sm_count));
    if (!loop) loop = find_fastest_loop(*peak_, timer_);
    Measurement known;
    known.contestant = mma_sync_registers;
    known.kernel = loop->text();
    add(known, peak_->flops(*loop), [this, fastest = *loop] { peak_->run(fastest); }, {});
  }

  // Throws WrongResult.
  void verify_all(const char* when) {
    int64_t done = 0;
    for (Entry& entry : entries_) {
      show_progress("verification", done++, static_cast<int64_t>(entries_.size()));
      if (entry.leave_result) verify(entry, when);
    }
  }

  // Cold, one after the other, in their order.
  void time_once() {
    for (Entry& entry : entries_) timer_.time(entry.contestant);
  }

  // Cold, in turn: each round in an order of its own.
  void time_cold(const BenchOptions& options) {
    for (int round = 0; round < options.rounds; round++) {
      for_each_in_order(options.order_seed, round, "contestant, cold", [&](Entry& entry) {
        timer_.time(entry.contestant);
      });
    }
  }

  // In steady state, in turn. Fewer rounds where they take too long.
  void time_steady(const BenchOptions& options) {
    const SteadyTimer steady(timer_.nvml());
    const double begin_s = monotonic_seconds();
    double done_s = 0, longest_s = 0;
    for (int round = 0;
         fits_another_round(round, options.rounds, done_s, longest_s, options.seconds); round++) {
      for_each_in_order(options.order_seed, round, "contestant, steady", [&](Entry& entry) {
        entry.steady.push_back(
            steady.time(entry.contestant.run, entry.contestant.readings.throttle_reasons));
      });
      const double now_s = monotonic_seconds() - begin_s;
      longest_s = std::max(longest_s, now_s - done_s);
      done_s = now_s;
    }
  }

  // How the last entry begins after each of the others, and after rest.
  CurveRecord record_curves(const BenchOptions& options) {
    constexpr double piece_ms = curve_bin_ms / 2;
    const SteadyTimer steady(timer_.nvml());
    const Entry& last = entries_.back();
    const size_t others = entries_.size() - 1;  // rest has this index in what follows
    const int runs = steady.count_runs(last.contestant.run, piece_ms);
    std::vector<int> runs_before;
    for (size_t i = 0; i < others; i++) {
      runs_before.push_back(steady.count_runs(entries_[i].contestant.run, piece_ms));
    }
    std::vector<std::vector<std::vector<Piece>>> pieces(others + 1);
    for (int round = 0; round < options.rounds; round++) {
      for (const size_t index : drawn_order(others + 1, options.order_seed, round)) {
        show_progress("repetition", round, options.rounds);
        if (index == others) {
          std::this_thread::sleep_for(std::chrono::duration<double>(curve_before_s));
        } else {
          steady.record(entries_[index].contestant.run, curve_before_s * 1e3, runs_before[index]);
        }
        pieces[index].push_back(steady.record(last.contestant.run, curve_ms, runs));
      }
    }
    CurveRecord record = {
        last.measurement.contestant, last.measurement.config, {product_.M, product_.N, product_.K},
        last.contestant.flops,       options.rounds,          {}};
    for (size_t i = 0; i <= others; i++) {
      const std::string after = i == others ? rest : entries_[i].measurement.contestant;
      record.curves.push_back({after, binned(pieces[i], curve_bin_ms, curve_ms)});
    }
    return record;
  }

  std::vector<Measurement> measurements(const BenchOptions& options) {
    std::vector<Measurement> all;
    for (Entry& entry : entries_) {
      Measurement& measurement = entry.measurement;
      static_cast<Timing&>(measurement) = timing_of(entry.contestant);
      measurement.temperature_c = timer_.nvml().temperature_c();
      if (!entry.steady.empty()) {
        measurement.steady = steady_figure(entry.contestant.flops, entry.steady);
        measurement.order_seed = options.order_seed;
      }
      all.push_back(measurement);
    }
    return all;
  }

 private:
  const std::string& arch() const { return stages_[0].device.arch; }

  void add(
      const Measurement& known,
      double flops,
      const std::function<void()>& run,
      const std::function<void()>& leave_result,
      const ConfigDescription* kernel = nullptr) {
    entries_.push_back({known, Contestant(flops, run), leave_result, kernel});
  }

  // Each entry, in the order that is drawn for this round.
  template <class Call>
  void for_each_in_order(uint64_t seed, int round, const char* what, const Call& call) {
    const int64_t count = static_cast<int64_t>(entries_.size());
    int64_t done = 0;
    for (const size_t index : drawn_order(entries_.size(), seed, round)) {
      show_progress(format("round %d: %s", round + 1, what).c_str(), done++, count);
      call(entries_[index]);
    }
  }

  void add_stage(BenchStage& stage, const std::string& name) {
    const ConfigDescription& config = stage.kernel.config;
    Measurement known;
    known.contestant = name;
    known.preset = config.preset;
    known.kernel_hash = config.kernel_hash;
    known.config = config_text(config);
    known.registers = stage.device.registers;
    known.spill_bytes = stage.device.spill_bytes;
    known.smem_bytes = config.smem_bytes;
    const auto run = matmul_launch(stage.kernel.function, config, stage.device, matrices_);
    add(known, product_.flops(), run, run, &config);
  }

  void add_peer(const char* name, const std::optional<Peer>& peer) {
    if (!peer) return;
    Measurement known;
    known.contestant = name;
    known.kernel = peer->kernel;
    known.instruction = instruction_of(known.kernel, arch());
    known.config = peer->text;
    add(known, product_.flops(), peer->launch, peer->launch);
  }

  // C in fp32 from C in bf16, for the comparison.
  void run_and_widen(const std::function<void()>& run) {
    constexpr int blocks = 2048, threads = 256;
    const int64_t count = product_.M * product_.N;
    backend::fill_bytes(bf16_C_.get(), 0xff, count * sizeof(bf16));  // NaN
    run();
    before_rounding_kernel<<<blocks, threads>>>(
        bf16_C_.get(), expected_.elements(), count, matrices_.C());
    CUDA_CHECK(cudaGetLastError());
  }

  void verify(Entry& entry, const char* when) {
    matrices_.poison_output();
    entry.leave_result();
    backend::synchronize();
    const ProductCheck check = expected_.check(matrices_, entry.kernel);
    Measurement& measurement = entry.measurement;
    measurement.verified = check.fault.empty();
    measurement.tolerance = expected_.tolerance();
    measurement.max_rel_error =
        std::max(measurement.max_rel_error.value_or(0), check.max_rel_error);
    if (check.fault.empty()) return;
    throw WrongResult(format(
        "%s%s%s is wrong %s, at %s: %s", measurement.contestant.c_str(),
        measurement.preset.empty() ? "" : ", preset ", measurement.preset.c_str(), when,
        size_text({product_.M, product_.N, product_.K}).c_str(), check.fault.c_str()));
  }

  std::vector<BenchStage>& stages_;
  const Timer& timer_;
  const ConfigDescription& config_;
  Matrices matrices_;
  const Product& product_;
  ExpectedProduct expected_;
  Buffer<bf16> bf16_C_;
  CublasMatmul cublas_;
  std::unique_ptr<MmaPeak> peak_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<Measurement> run_contest(
    std::vector<BenchStage>& stages,
    const BenchOptions& options,
    const Timer& timer,
    std::optional<MmaLoop>& loop) {
  Contest contest(stages, options, timer);
  contest.add_stages();
  contest.add_twin();
  contest.add_best_lt(loop ? search_seconds : first_search_seconds);
  contest.add_best_cutlass();
  contest.add_cublas(OutputType::fp32);
  contest.add_cublas(OutputType::bf16);
  contest.add_mma_peak(loop);
  contest.verify_all("before the timing");
  contest.time_cold(options);
  contest.time_steady(options);
  contest.verify_all("after the timing");
  return contest.measurements(options);
}

std::vector<Measurement> run_reproduction(
    std::vector<BenchStage>& stages,
    const BenchOptions& options,
    const Timer& timer) {
  Contest contest(stages, options, timer);
  contest.add_cublas(OutputType::bf16);
  contest.add_stages();
  contest.verify_all("before the timing");
  contest.time_once();
  contest.verify_all("after the timing");
  return contest.measurements(options);
}

CurveRecord run_curves(
    std::vector<BenchStage>& stages,
    const BenchOptions& options,
    const Timer& timer) {
  Contest contest(stages, options, timer);
  contest.add_for_curve();
  contest.verify_all("before the timing");
  const CurveRecord record = contest.record_curves(options);
  contest.verify_all("after the timing");
  return record;
}
