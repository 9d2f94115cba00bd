#include "benchmark.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "cublas_matmul.h"
#include "cuda_check.h"
#include "mma_peak.h"
#include "nvml.h"
#include "statistics.h"

namespace {

// The protocol of triton.testing.do_bench, in its defaults.
constexpr int estimate_runs = 5;
constexpr double warmup_ms = 25;
constexpr double repetitions_ms = 100;

constexpr int rounds = 5;  // stage and peers take turns, because a GPU at its power limit drifts

// A pair of CUDA events around a run.
class Stopwatch {
 public:
  Stopwatch() {
    CUDA_CHECK(cudaEventCreate(&start_));
    CUDA_CHECK(cudaEventCreate(&stop_));
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start() { CUDA_CHECK(cudaEventRecord(start_)); }
  void stop() { CUDA_CHECK(cudaEventRecord(stop_)); }
  bool has_stopped() const {
    if (cudaEventQuery(stop_) != cudaErrorNotReady) return true;
    cudaGetLastError();  // "not ready" is remembered as an error, and is none
    return false;
  }
  double milliseconds() const {
    float time = 0;
    CUDA_CHECK(cudaEventElapsedTime(&time, start_, stop_));
    return time;
  }

 private:
  cudaEvent_t start_, stop_;
};

// Readings of the clock and the power meter.
struct Readings {
  std::vector<double> clock_mhz, power_w;

  void take(const Nvml& nvml) {
    if (const auto clock = nvml.sm_clock_mhz()) clock_mhz.push_back(*clock);
    if (const auto power = nvml.power_w()) power_w.push_back(*power);
  }
};

std::optional<double> median_if_any(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

// Times of single runs of one contestant, over all rounds.
struct Contestant {
  double flops;
  std::function<void()> run;
  std::vector<double> milliseconds;
  Readings readings;
};

// One round: as do_bench, but that the GPU's clock is read while the timed runs are under way.
class Timer {
 public:
  explicit Timer(const Nvml& nvml) : nvml_(nvml), flushed_(l2_flush_bytes) {}

  void time(Contestant& contestant) const {
    contestant.run();
    CUDA_CHECK(cudaDeviceSynchronize());
    const double estimate_ms = estimate(contestant.run);
    for (int i = 0; i < whole_count(warmup_ms, estimate_ms); i++) contestant.run();

    std::vector<Stopwatch> watches(whole_count(repetitions_ms, estimate_ms));
    for (Stopwatch& watch : watches) {
      flush_l2();
      watch.start();
      contestant.run();
      watch.stop();
    }
    read_while_busy(watches.back(), contestant.readings);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (const Stopwatch& watch : watches) contestant.milliseconds.push_back(watch.milliseconds());
  }

 private:
  static int whole_count(double total_ms, double one_ms) {
    return std::max(1, static_cast<int>(total_ms / one_ms));
  }

  // Reads of A and B must come from DRAM, as in a program that does something between two products.
  void flush_l2() const { backend::fill_bytes(flushed_.get(), 0, l2_flush_bytes); }

  // Milliseconds of a run, the flush included.
  double estimate(const std::function<void()>& run) const {
    Stopwatch watch;
    watch.start();
    for (int i = 0; i < estimate_runs; i++) {
      flush_l2();
      run();
    }
    watch.stop();
    CUDA_CHECK(cudaDeviceSynchronize());
    return watch.milliseconds() / estimate_runs;
  }

  void read_while_busy(const Stopwatch& last, Readings& readings) const {
    do {
      readings.take(nvml_);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (!last.has_stopped());
  }

  const Nvml& nvml_;
  Buffer<uint8_t> flushed_;
};

Speed speed_of(const Contestant& contestant) {
  std::vector<double> tflops;
  for (const double ms : contestant.milliseconds) {
    tflops.push_back(contestant.flops / (ms * 1e-3) * 1e-12);
  }
  return {median(tflops), quantile(tflops, 0.2), quantile(tflops, 0.8)};
}

// The loop that is the fastest on this GPU, by one round each.
MmaLoop find_fastest_loop(const MmaPeak& peak, const Timer& timer, const Progress& progress) {
  const std::vector<MmaLoop> loops = mma_loops();
  MmaLoop fastest = loops.front();
  double most_tflops = 0;
  for (size_t i = 0; i < loops.size(); i++) {
    progress("mma.sync loop", i, loops.size());
    const MmaLoop loop = loops[i];
    Contestant contestant = {peak.flops(loop), [&] { peak.run(loop); }, {}, {}};
    timer.time(contestant);
    const double tflops = speed_of(contestant).median;
    if (tflops <= most_tflops) continue;
    fastest = loop;
    most_tflops = tflops;
  }
  return fastest;
}

}  // namespace

std::optional<Benchmark> run_benchmark(
    const ConfigDescription& config,
    const Options&,
    const Device& device,
    Matrices& matrices,
    const std::function<void()>& launch,
    const Progress& progress) {
  const int64_t M = config.M, N = config.N, K = config.K;
  const double flops = 2.0 * M * N * K;
  // Long enough that starting the loop does not count: 2 * 4096^3.
  const double peak_flops = std::max(flops, 2.0 * 4096 * 4096 * 4096);

  const Nvml nvml(device.pci_bus_id);
  const Timer timer(nvml);
  const CublasMatmul cublas;
  const Buffer<bf16> bf16_C(M * N);
  const MmaPeak peak(matrices.A(), M * K, device.sm_count, peak_flops);
  const MmaLoop loop = find_fastest_loop(peak, timer, progress);

  const auto run_cublas = [&](void* C, OutputType type) {
    cublas.run(matrices.A(), matrices.B(), C, type, M, N, K);
  };
  Contestant stage = {flops, launch, {}, {}};
  Contestant fp32 = {flops, [&] { run_cublas(matrices.C(), OutputType::fp32); }, {}, {}};
  Contestant bf16 = {flops, [&] { run_cublas(bf16_C.get(), OutputType::bf16); }, {}, {}};
  Contestant mma = {peak.flops(loop), [&] { peak.run(loop); }, {}, {}};
  for (int round = 0; round < rounds; round++) {
    progress("benchmark round", round, rounds);
    for (Contestant* contestant : {&stage, &fp32, &bf16, &mma}) timer.time(*contestant);
  }

  Benchmark result;
  result.stage = speed_of(stage);
  result.stage_ms = median(stage.milliseconds);
  result.cublas = speed_of(fp32).median;
  result.cublas_bf16out = speed_of(bf16).median;
  result.mma_peak = speed_of(mma).median;
  result.mma_peak_shape = loop.text();
  result.clock_mhz = median_if_any(stage.readings.clock_mhz);
  result.mma_peak_clock_mhz = median_if_any(mma.readings.clock_mhz);
  result.power_w = median_if_any(stage.readings.power_w);
  result.power_limit_w = nvml.power_limit_w();
  result.temperature_c = nvml.temperature_c();
  result.rounds = rounds;
  result.runs = static_cast<int>(stage.milliseconds.size());
  return result;
}
