#include "contest.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "../../host/device/compare.h"
#include "../../host/device/cublas_matmul.h"
#include "../../host/device/cuda_check.h"
#include "../../host/support/statistics.h"
#include "../../host/verify/element_location.h"
#include "bf16_output.h"
#include "cutlass_matmul.h"
#include "launched_kernels.h"
#include "lt_matmul.h"

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
  Entry(const Measurement& known, double flops, std::function<void()> run)
      : measurement(known), contestant(flops, std::move(run)) {}

  Measurement measurement;
  Contestant contestant;
  std::function<void()> leave_result;   // launches and leaves C to be verified; none: no result
  const BenchKernel* kernel = nullptr;  // of a stage: where its wrong elements lie
};

// "M=8192 N=8192 ...", as `run --csv` writes it.
std::string fields_text(const ConfigDescription& config) {
  std::string text;
  for (const ConfigField& field : config.fields) {
    text += (text.empty() ? "" : " ") + field.name + "=" + std::to_string(field.value);
  }
  return text;
}

// Matrices that serve every stage of this size: their guard bands depend on the tile.
const ConfigDescription& widest_guard(const Stages& stages) {
  const auto less = [](const BenchKernel& a, const BenchKernel& b) {
    return Matrices::guard_bytes(a.config) < Matrices::guard_bytes(b.config);
  };
  return std::max_element(stages.kernels.begin(), stages.kernels.end(), less)->config;
}

class Contest {
 public:
  Contest(Stages& stages, const BenchOptions& options, const Nvml& nvml, const Progress& progress)
      : stages_(stages),
        nvml_(nvml),
        progress_(progress),
        config_(widest_guard(stages)),
        M_(config_.M),
        N_(config_.N),
        K_(config_.K),
        flops_(2.0 * M_ * N_ * K_),
        rule_(input_rule(options.run.inputs, options.run.seed, K_)),
        matrices_(config_),
        bf16_C_(M_ * N_),
        expected_(M_ * N_),
        a_norms_(M_),
        b_norms_(N_) {
    matrices_.fill_inputs(rule_);
    backend::compute_reference(matrices_.A(), matrices_.B(), M_, N_, K_, reference());
    const std::string fault =
        find_reference_fault(config_, rule_, expected_.get(), "the reference, cuBLAS,");
    if (!fault.empty()) throw Refusal(fault);
  }

  void add_stages() {
    for (size_t i = 0; i < stages_.kernels.size(); i++) {
      const BenchKernel& kernel = stages_.kernels[i];
      Device& device = stages_.devices[i];
      Measurement known;
      known.contestant = kernel.config.stage;
      known.preset = kernel.preset;
      known.kernel_hash = kernel.config.kernel_hash;
      known.config = fields_text(kernel.config);
      known.registers = device.registers;
      known.spill_bytes = device.spill_bytes;
      known.smem_bytes = kernel.config.smem_bytes;
      Entry& entry = add(known, flops_, kernel.make_launch(device, matrices_));
      entry.leave_result = entry.contestant.run;
      entry.kernel = &kernel;
    }
  }

  void add_cublas(OutputType type) {
    void* const C = type == OutputType::fp32 ? static_cast<void*>(matrices_.C()) : bf16_C_.get();
    const auto run = [this, C, type] {
      cublas_.run(matrices_.A(), matrices_.B(), C, type, M_, N_, K_);
    };
    run();
    Measurement known;
    known.contestant = type == OutputType::fp32 ? cublas_fp32 : cublas_bf16;
    known.kernel = launched_kernels([&](cudaStream_t stream) {
      cublas_.use_stream(stream);
      run();
    });
    cublas_.use_stream(nullptr);
    known.instruction = instruction_of(known.kernel, arch());
    Entry& entry = add(known, flops_, run);
    entry.leave_result = run;
    if (type == OutputType::bf16) entry.leave_result = [this, run] { run_and_widen(run); };
  }

  void add_best_lt(const Timer& timer, double seconds) {
    lt_.reset(new LtMatmul(matrices_.A(), matrices_.B(), matrices_.C(), M_, N_, K_));
    const std::optional<LtChoice> choice =
        find_best_mma_sync(*lt_, arch(), timer, seconds, progress_);
    if (!choice) return;
    Measurement known;
    known.contestant = cublaslt_mma_sync;
    known.kernel = choice->kernel;
    known.instruction = Instruction::mma_sync;
    known.config =
        format("%s; %zu of %zu tried", choice->text.c_str(), choice->tried, choice->known);
    const cublasLtMatmulAlgo_t algorithm = choice->algorithm;
    Entry& entry = add(known, flops_, [this, algorithm] {
      if (!lt_->run(algorithm, nullptr)) throw Refusal("cuBLASLt refused what it ran before");
    });
    entry.leave_result = entry.contestant.run;
  }

  void add_best_cutlass(const Timer& timer) {
    const CutlassProblem problem = {matrices_.A(), matrices_.B(), matrices_.C(), M_, N_, K_};
    const std::optional<CutlassChoice> choice = find_best_cutlass(problem, timer, progress_);
    if (!choice) return;
    Measurement known;
    known.contestant = cutlass_sm80;
    known.kernel = choice->kernel;
    known.instruction = instruction_of(known.kernel, arch());
    known.config = format("%s; best of %zu", choice->text.c_str(), choice->tried);
    const CutlassKernel::Launch launch = choice->launch;
    Entry& entry = add(known, flops_, [launch] { launch(nullptr); });
    entry.leave_result = entry.contestant.run;
  }

  void add_mma_peak(const Timer& timer, std::optional<MmaLoop>& loop) {
    peak_.reset(
        new MmaPeak(matrices_.A(), M_ * K_, stages_.devices[0].sm_count, mma_peak_flops(flops_)));
    if (!loop) loop = find_fastest_loop(*peak_, timer, progress_);
    const MmaLoop fastest = *loop;
    Measurement known;
    known.contestant = mma_sync_registers;
    known.kernel = fastest.text();
    add(known, peak_->flops(fastest), [this, fastest] { peak_->run(fastest); });
  }

  // Throws WrongResult.
  void verify_all(const char* when) {
    int64_t done = 0;
    for (Entry& entry : entries_) {
      progress_("verification", done++, static_cast<int64_t>(entries_.size()));
      if (entry.leave_result) verify(entry, when);
    }
  }

  void time_round(const Timer& timer) {
    for (Entry& entry : entries_) timer.time(entry.contestant);
  }

  void time_one_by_one(const Timer& timer) {
    int64_t done = 0;
    for (Entry& entry : entries_) {
      progress_("contestant", done++, static_cast<int64_t>(entries_.size()));
      timer.time(entry.contestant);
    }
  }

  std::vector<Measurement> measurements() {
    std::vector<Measurement> all;
    for (Entry& entry : entries_) {
      const Contestant& contestant = entry.contestant;
      Measurement& result = entry.measurement;
      result.speed = speed_of(contestant);
      result.ms = median(contestant.milliseconds);
      result.round_ms = contestant.round_milliseconds;
      result.runs = static_cast<int>(contestant.milliseconds.size());
      result.clock_mhz = median_if_any(contestant.readings.clock_mhz);
      result.power_w = median_if_any(contestant.readings.power_w);
      result.throttle_reasons = contestant.readings.throttle_reasons;
      result.temperature_c = nvml_.temperature_c();
      all.push_back(result);
    }
    return all;
  }

 private:
  const std::string& arch() const { return stages_.devices[0].arch; }

  Entry& add(const Measurement& known, double flops, std::function<void()> run) {
    entries_.emplace_back(known, flops, std::move(run));
    return entries_.back();
  }

  // C in fp32 from C in bf16, for the comparison.
  void run_and_widen(const std::function<void()>& run) {
    constexpr int blocks = 2048, threads = 256;
    backend::fill_bytes(bf16_C_.get(), 0xff, M_ * N_ * sizeof(bf16));  // NaN
    run();
    before_rounding_kernel<<<blocks, threads>>>(
        bf16_C_.get(), expected_.get(), M_ * N_, matrices_.C());
    CUDA_CHECK(cudaGetLastError());
  }

  // As in a stage's program (verify.h), but that the reference is computed only once.
  void verify(Entry& entry, const char* when) {
    const bool exact = rule_.kind == Inputs::integers;
    const double tolerance = exact ? 0 : tolerance_for(K_);
    matrices_.poison_output();
    entry.leave_result();
    backend::synchronize();
    const backend::Comparison comparison =
        backend::compare(matrices_.C(), reference(), M_, N_, tolerance, exact);
    std::string fault;
    if (comparison.wrong > 0) {
      fault = mismatch_text(entry, comparison);
    } else if (const std::optional<std::string> stray = matrices_.find_stray_write(rule_)) {
      fault = *stray;
    }
    Measurement& measurement = entry.measurement;
    measurement.verified = fault.empty();
    measurement.tolerance = tolerance;
    measurement.max_rel_error =
        std::max(measurement.max_rel_error.value_or(0), comparison.max_rel_error);
    if (fault.empty()) return;
    throw WrongResult(format(
        "%s%s%s is wrong %s, at %s: %s", measurement.contestant.c_str(),
        measurement.preset.empty() ? "" : ", preset ", measurement.preset.c_str(), when,
        size_text({M_, N_, K_}).c_str(), fault.c_str()));
  }

  std::string mismatch_text(const Entry& entry, const backend::Comparison& comparison) const {
    const int64_t row = comparison.first_wrong / N_, col = comparison.first_wrong % N_;
    const std::string where =
        entry.kernel == nullptr
            ? ""
            : ", in " + location_text(locate_element(entry.kernel->config, row, col));
    return format(
        "C[%lld, %lld] is %.9g and should be %.9g%s; %s of %s elements are wrong",
        static_cast<long long>(row), static_cast<long long>(col),
        backend::gather(matrices_.C(), {comparison.first_wrong})[0],
        backend::gather(expected_.get(), {comparison.first_wrong})[0], where.c_str(),
        with_commas(comparison.wrong).c_str(), with_commas(M_ * N_).c_str());
  }

  backend::Reference reference() const { return {expected_.get(), a_norms_.get(), b_norms_.get()}; }

  Stages& stages_;
  const Nvml& nvml_;
  const Progress& progress_;
  const ConfigDescription& config_;
  const int64_t M_, N_, K_;
  const double flops_;
  const InputRule rule_;
  Matrices matrices_;
  Buffer<bf16> bf16_C_;
  Buffer<float> expected_, a_norms_, b_norms_;  // the reference
  CublasMatmul cublas_;
  std::unique_ptr<LtMatmul> lt_;
  std::unique_ptr<MmaPeak> peak_;
  std::deque<Entry> entries_;
};

}  // namespace

std::vector<Measurement> run_contest(
    Stages& stages,
    const BenchOptions& options,
    const Nvml& nvml,
    const Timer& timer,
    std::optional<MmaLoop>& loop,
    const Progress& progress) {
  Contest contest(stages, options, nvml, progress);
  contest.add_stages();
  contest.add_best_lt(timer, loop ? search_seconds : first_search_seconds);
  contest.add_best_cutlass(timer);
  contest.add_cublas(OutputType::fp32);
  contest.add_cublas(OutputType::bf16);
  contest.add_mma_peak(timer, loop);
  contest.verify_all("before the timing");
  for (int round = 0; round < options.rounds; round++) {
    progress("round", round, options.rounds);
    contest.time_round(timer);
  }
  contest.verify_all("after the timing");
  return contest.measurements();
}

std::vector<Measurement> run_reproduction(
    Stages& stages,
    const BenchOptions& options,
    const Nvml& nvml,
    const Timer& timer,
    const Progress& progress) {
  Contest contest(stages, options, nvml, progress);
  contest.add_cublas(OutputType::bf16);
  contest.add_stages();
  contest.verify_all("before the timing");
  contest.time_one_by_one(timer);
  contest.verify_all("after the timing");
  return contest.measurements();
}
