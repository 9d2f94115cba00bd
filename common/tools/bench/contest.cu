#include "contest.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "../../host/device/cublas_matmul.h"
#include "../../host/device/cuda_check.h"
#include "../../host/measure/mma_peak.h"
#include "../../host/verify/expected_product.h"
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
  Measurement measurement;
  Contestant contestant;
  std::function<void()> leave_result;  // launches and leaves C to be verified; none: no result
  const ConfigDescription* kernel;     // of a stage: where its wrong elements lie; else nullptr
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
  const auto less = [](const MatmulKernel& a, const MatmulKernel& b) {
    return Matrices::guard_bytes(a.config) < Matrices::guard_bytes(b.config);
  };
  return std::max_element(stages.kernels.begin(), stages.kernels.end(), less)->config;
}

class Contest {
 public:
  Contest(
      Stages& stages,
      const BenchOptions& options,
      const Nvml& nvml,
      const Timer& timer,
      const Progress& progress)
      : stages_(stages),
        nvml_(nvml),
        timer_(timer),
        progress_(progress),
        config_(widest_guard(stages)),
        matrices_(config_),
        product_(matrices_.product()),
        expected_(config_, options.run.inputs),
        bf16_C_(product_.M * product_.N) {
    expected_.prepare(matrices_, options.run.seed);
  }

  void add_stages() {
    for (size_t i = 0; i < stages_.kernels.size(); i++) {
      const ConfigDescription& config = stages_.kernels[i].config;
      Device& device = stages_.devices[i];
      Measurement known;
      known.contestant = config.stage;
      known.preset = config.preset;
      known.kernel_hash = config.kernel_hash;
      known.config = fields_text(config);
      known.registers = device.registers;
      known.spill_bytes = device.spill_bytes;
      known.smem_bytes = config.smem_bytes;
      const auto run = matmul_launch(stages_.kernels[i].function, config, device, matrices_);
      add(known, product_.flops(), run, run, &config);
    }
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
    lt_.reset(new LtMatmul(product_, matrices_.C()));
    const std::optional<LtChoice> choice =
        find_best_mma_sync(*lt_, arch(), timer_, seconds, progress_);
    if (!choice) return;
    Measurement known;
    known.contestant = cublaslt_mma_sync;
    known.kernel = choice->kernel;
    known.instruction = Instruction::mma_sync;
    known.config =
        format("%s; %zu of %zu tried", choice->text.c_str(), choice->tried, choice->known);
    const auto run = [this, algorithm = choice->algorithm] {
      if (!lt_->run(algorithm, nullptr)) throw Refusal("cuBLASLt refused what it ran before");
    };
    add(known, product_.flops(), run, run);
  }

  void add_best_cutlass() {
    const std::optional<CutlassChoice> choice =
        find_best_cutlass(product_, matrices_.C(), timer_, progress_);
    if (!choice) return;
    Measurement known;
    known.contestant = cutlass_sm80;
    known.kernel = choice->kernel;
    known.instruction = instruction_of(known.kernel, arch());
    known.config = format("%s; best of %zu", choice->text.c_str(), choice->tried);
    const auto run = [launch = choice->launch] { launch(nullptr); };
    add(known, product_.flops(), run, run);
  }

  void add_mma_peak(std::optional<MmaLoop>& loop) {
    peak_.reset(new MmaPeak(product_, stages_.devices[0].sm_count));
    if (!loop) loop = find_fastest_loop(*peak_, timer_, progress_);
    Measurement known;
    known.contestant = mma_sync_registers;
    known.kernel = loop->text();
    add(known, peak_->flops(*loop), [this, fastest = *loop] { peak_->run(fastest); }, {});
  }

  // Throws WrongResult.
  void verify_all(const char* when) {
    int64_t done = 0;
    for (Entry& entry : entries_) {
      progress_("verification", done++, static_cast<int64_t>(entries_.size()));
      if (entry.leave_result) verify(entry, when);
    }
  }

  void time_round() {
    for (Entry& entry : entries_) timer_.time(entry.contestant);
  }

  void time_one_by_one() {
    int64_t done = 0;
    for (Entry& entry : entries_) {
      progress_("contestant", done++, static_cast<int64_t>(entries_.size()));
      timer_.time(entry.contestant);
    }
  }

  std::vector<Measurement> measurements() {
    std::vector<Measurement> all;
    for (Entry& entry : entries_) {
      static_cast<Timing&>(entry.measurement) = timing_of(entry.contestant);
      entry.measurement.temperature_c = nvml_.temperature_c();
      all.push_back(entry.measurement);
    }
    return all;
  }

 private:
  const std::string& arch() const { return stages_.devices[0].arch; }

  void add(
      const Measurement& known,
      double flops,
      const std::function<void()>& run,
      const std::function<void()>& leave_result,
      const ConfigDescription* kernel = nullptr) {
    entries_.push_back({known, Contestant(flops, run), leave_result, kernel});
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

  Stages& stages_;
  const Nvml& nvml_;
  const Timer& timer_;
  const Progress& progress_;
  const ConfigDescription& config_;
  Matrices matrices_;
  const Product& product_;
  ExpectedProduct expected_;
  Buffer<bf16> bf16_C_;
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
  Contest contest(stages, options, nvml, timer, progress);
  contest.add_stages();
  contest.add_best_lt(loop ? search_seconds : first_search_seconds);
  contest.add_best_cutlass();
  contest.add_cublas(OutputType::fp32);
  contest.add_cublas(OutputType::bf16);
  contest.add_mma_peak(loop);
  contest.verify_all("before the timing");
  for (int round = 0; round < options.rounds; round++) {
    progress("round", round, options.rounds);
    contest.time_round();
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
  Contest contest(stages, options, nvml, timer, progress);
  contest.add_cublas(OutputType::bf16);
  contest.add_stages();
  contest.verify_all("before the timing");
  contest.time_one_by_one();
  contest.verify_all("after the timing");
  return contest.measurements();
}
