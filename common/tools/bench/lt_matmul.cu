#include "lt_matmul.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "../../host/device/cuda_check.h"
#include "../../host/support/terminal.h"
#include "kernel_class.h"
#include "launched_kernels.h"

namespace {

constexpr size_t workspace_bytes = size_t{32} << 20;  // as PyTorch's on Hopper and later
constexpr auto compute = CUBLAS_COMPUTE_32F;
constexpr auto scale = CUDA_R_32F;
constexpr auto input = CUDA_R_16BF;
constexpr auto output = CUDA_R_32F;

constexpr int finalists = 6;
// So many products of an algorithm are looked at before it counts as not using mma.sync.
constexpr int most_probes = 3;
// Some algorithms have options by the hundred. So many variants of one are considered.
constexpr int most_variants = 4000;
// With fewer tiles of 128x128 than this, most GPUs stay half empty unless K is split.
constexpr int64_t few_tiles = 192;

// What an algorithm offers, as one number; 0 if it says nothing.
int capability(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoCapAttributes_t which) {
  int32_t value = 0;
  size_t written = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoCapGetAttribute(&algorithm, which, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? value : 0;
}

// What an algorithm offers, as a list; {0}, which stands for "undefined", if it says nothing.
std::vector<uint32_t> capabilities(
    const cublasLtMatmulAlgo_t& algorithm,
    cublasLtMatmulAlgoCapAttributes_t which) {
  size_t bytes = 0;
  cublasLtMatmulAlgoCapGetAttribute(&algorithm, which, nullptr, 0, &bytes);
  std::vector<uint32_t> values(bytes / sizeof(uint32_t));
  if (values.empty()) return {0};
  size_t written = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoCapGetAttribute(&algorithm, which, values.data(), bytes, &written);
  if (status != CUBLAS_STATUS_SUCCESS) return {0};
  return values;
}

template <class Value>
void set(cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t which, Value value) {
  cublasLtMatmulAlgoConfigSetAttribute(&algorithm, which, &value, sizeof value);
}

int setting(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t which) {
  int32_t value = 0;
  size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, which, &value, sizeof value, &written);
  return value;
}

// What tells one algorithm from another.
std::vector<int> settings(const cublasLtMatmulAlgo_t& algorithm) {
  return {
      setting(algorithm, CUBLASLT_ALGO_CONFIG_ID),
      setting(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
      setting(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
      setting(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
      setting(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME),
      setting(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
      setting(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION),
  };
}

std::string settings_text(const cublasLtMatmulAlgo_t& algorithm) {
  const std::vector<int> s = settings(algorithm);
  return format(
      "algorithm %d, tile %d, stages %d, split-K %d, reduction %d, swizzle %d, option %d", s[0],
      s[1], s[2], s[3], s[4], s[5], s[6]);
}

cublasLtMatrixLayout_t make_layout(cudaDataType_t type, int64_t rows, int64_t cols) {
  cublasLtMatrixLayout_t layout = nullptr;
  CUDA_CHECK(cublasLtMatrixLayoutCreate(&layout, type, rows, cols, rows));
  return layout;
}

// An algorithm that runs, and its shortest time so far.
struct Candidate {
  cublasLtMatmulAlgo_t algorithm;
  std::string kernel;
  double ms;
};

// Looks for the fastest candidates of the class.
class Search {
 public:
  Search(const LtMatmul& matmul, const std::string& arch) : matmul_(matmul), arch_(arch) {}

  // Runs `algorithm` once or a few times, if it may be of the class.
  void look_at(const cublasLtMatmulAlgo_t& algorithm) {
    const int id = setting(algorithm, CUBLASLT_ALGO_CONFIG_ID);
    Probes& probes = probes_[id];
    if (!probes.any_of_class && probes.count >= most_probes) return;
    if (!matmul_.run(algorithm, nullptr)) return;
    if (cudaDeviceSynchronize() != cudaSuccess) {
      throw Refusal("cuBLASLt failed while it ran: " + settings_text(algorithm));
    }
    const std::string kernel = launched_kernels([&](cudaStream_t stream) {
      if (!matmul_.run(algorithm, stream)) throw Refusal("cuBLASLt refused under capture");
    });
    probes.count++;
    if (instruction_of(kernel, arch_) != Instruction::mma_sync) return;
    probes.any_of_class = true;

    Candidate candidate = {algorithm, kernel, time_once(algorithm)};
    for (int i = 0; i < 2 && candidate.ms < 1.3 * best_ms_; i++) {
      candidate.ms = std::min(candidate.ms, time_once(algorithm));
    }
    best_ms_ = std::min(best_ms_, candidate.ms);
    candidates_.push_back(candidate);
  }

  // The best, fastest first.
  std::vector<Candidate> best(size_t count) {
    std::stable_sort(
        candidates_.begin(), candidates_.end(),
        [](const Candidate& a, const Candidate& b) { return a.ms < b.ms; });
    if (candidates_.size() > count) candidates_.resize(count);
    return candidates_;
  }

 private:
  struct Probes {
    int count = 0;
    bool any_of_class = false;
  };

  double time_once(const cublasLtMatmulAlgo_t& algorithm) const {
    Stopwatch watch;
    watch.start();
    matmul_.run(algorithm, nullptr);
    watch.stop();
    CUDA_CHECK(cudaDeviceSynchronize());
    return watch.milliseconds();
  }

  const LtMatmul& matmul_;
  std::string arch_;
  std::map<int, Probes> probes_;  // by the algorithm's number
  std::vector<Candidate> candidates_;
  double best_ms_ = 1e30;
};

}  // namespace

// Rows and columns as in cublas_matmul.cu: read column by column, C^T [N, M] = B A^T, and B is
// stored as [N, K], so that it is the transposed operand.
LtMatmul::LtMatmul(const Product& product, float* C)
    : product_(product), C_(C), workspace_(workspace_bytes) {
  CUDA_CHECK(cublasLtCreate(&handle_));
  CUDA_CHECK(cublasLtMatmulDescCreate(&operation_, compute, scale));
  const cublasOperation_t transposed = CUBLAS_OP_T;
  CUDA_CHECK(cublasLtMatmulDescSetAttribute(
      operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
  b_layout_ = make_layout(input, product.K, product.N);
  a_layout_ = make_layout(input, product.K, product.M);
  c_layout_ = make_layout(output, product.N, product.M);
}

LtMatmul::~LtMatmul() {
  cublasLtMatrixLayoutDestroy(a_layout_);
  cublasLtMatrixLayoutDestroy(b_layout_);
  cublasLtMatrixLayoutDestroy(c_layout_);
  cublasLtMatmulDescDestroy(operation_);
  cublasLtDestroy(handle_);
}

bool LtMatmul::run(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
  const float one = 1, zero = 0;
  return cublasLtMatmul(
             handle_, operation_, &one, product_.B, b_layout_, product_.A, a_layout_, &zero, C_,
             c_layout_, C_, c_layout_, &algorithm, workspace_.get(), workspace_bytes,
             stream) == CUBLAS_STATUS_SUCCESS;
}

bool LtMatmul::accepts(const cublasLtMatmulAlgo_t& algorithm) const {
  cublasLtMatmulHeuristicResult_t result = {};
  const cublasStatus_t status = cublasLtMatmulAlgoCheck(
      handle_, operation_, b_layout_, a_layout_, c_layout_, c_layout_, &algorithm, &result);
  return status == CUBLAS_STATUS_SUCCESS && result.state == CUBLAS_STATUS_SUCCESS &&
         result.workspaceSize <= workspace_bytes;
}

std::vector<cublasLtMatmulAlgo_t> LtMatmul::recommended() const {
  constexpr int most = 128;
  cublasLtMatmulPreference_t preference = nullptr;
  CUDA_CHECK(cublasLtMatmulPreferenceCreate(&preference));
  CUDA_CHECK(cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
      sizeof workspace_bytes));
  std::vector<cublasLtMatmulHeuristicResult_t> results(most);
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, operation_, b_layout_, a_layout_, c_layout_, c_layout_, preference, most,
      results.data(), &count);
  cublasLtMatmulPreferenceDestroy(preference);
  std::vector<cublasLtMatmulAlgo_t> found;
  if (status != CUBLAS_STATUS_SUCCESS) return found;
  for (int i = 0; i < count; i++) {
    if (results[i].state == CUBLAS_STATUS_SUCCESS) found.push_back(results[i].algo);
  }
  return found;
}

// The larger tiles and the deeper pipelines have the larger numbers, and come first.
void LtMatmul::add_variants(int id, std::vector<cublasLtMatmulAlgo_t>& variants) const {
  cublasLtMatmulAlgo_t plain;
  if (cublasLtMatmulAlgoInit(handle_, compute, scale, input, input, output, output, id, &plain) !=
      CUBLAS_STATUS_SUCCESS) {
    return;
  }
  std::vector<uint32_t> tiles = capabilities(plain, CUBLASLT_ALGO_CAP_TILE_IDS);
  std::vector<uint32_t> stages = capabilities(plain, CUBLASLT_ALGO_CAP_STAGES_IDS);
  std::sort(tiles.rbegin(), tiles.rend());
  std::sort(stages.rbegin(), stages.rend());
  const int options = capability(plain, CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX);
  const int swizzles = capability(plain, CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT);
  std::vector<int32_t> splits = {1};
  const bool few = ((product_.M + 127) / 128) * ((product_.N + 127) / 128) < few_tiles;
  if (few && capability(plain, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT) != 0) splits = {1, 2, 4, 8};

  int considered = 0;
  for (int option = 0; option <= options; option++) {
    for (const int32_t split : splits) {
      for (const uint32_t tile : tiles) {
        for (const uint32_t stage : stages) {
          for (int swizzle = 0; swizzle <= swizzles; swizzle++) {
            if (considered++ == most_variants) return;
            cublasLtMatmulAlgo_t variant = plain;
            set(variant, CUBLASLT_ALGO_CONFIG_TILE_ID, tile);
            set(variant, CUBLASLT_ALGO_CONFIG_STAGES_ID, stage);
            set(variant, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, static_cast<uint32_t>(option));
            set(variant, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, static_cast<uint32_t>(swizzle));
            if (split > 1) {
              set(variant, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, split);
              set(variant, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
                  static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
            }
            if (accepts(variant)) variants.push_back(variant);
          }
        }
      }
    }
  }
}

std::vector<std::vector<cublasLtMatmulAlgo_t>> LtMatmul::enumerated() const {
  constexpr int most = 256;
  std::vector<int> ids(most);
  int count = 0;
  std::vector<std::vector<cublasLtMatmulAlgo_t>> by_id;
  if (cublasLtMatmulAlgoGetIds(
          handle_, compute, scale, input, input, output, output, most, ids.data(), &count) !=
      CUBLAS_STATUS_SUCCESS) {
    return by_id;
  }
  for (int i = 0; i < count; i++) {
    by_id.emplace_back();
    add_variants(ids[i], by_id.back());
  }
  return by_id;
}

std::vector<cublasLtMatmulAlgo_t> LtMatmul::algorithms() const {
  std::vector<cublasLtMatmulAlgo_t> all;
  std::set<std::vector<int>> seen;
  const auto add = [&](const cublasLtMatmulAlgo_t& algorithm) {
    if (seen.insert(settings(algorithm)).second) all.push_back(algorithm);
  };
  for (const cublasLtMatmulAlgo_t& algorithm : recommended()) add(algorithm);
  const std::vector<std::vector<cublasLtMatmulAlgo_t>> by_id = enumerated();
  size_t longest = 0;
  for (const auto& variants : by_id) longest = std::max(longest, variants.size());
  for (size_t i = 0; i < longest; i++) {
    for (const auto& variants : by_id) {
      if (i < variants.size()) add(variants[i]);
    }
  }
  return all;
}

std::optional<LtChoice> find_best_mma_sync(
    const LtMatmul& matmul,
    const std::string& arch,
    const Timer& timer,
    double seconds) {
  using Clock = std::chrono::steady_clock;
  const std::vector<cublasLtMatmulAlgo_t> all = matmul.algorithms();
  const Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
  Search search(matmul, arch);
  size_t tried = 0;
  while (tried < all.size() && Clock::now() < end) {
    show_progress("cuBLASLt algorithm", tried, all.size());
    search.look_at(all[tried++]);
  }

  const std::vector<Candidate> best = search.best(finalists);
  if (best.empty()) return std::nullopt;
  std::vector<Contestant> contestants;
  for (const Candidate& candidate : best) {
    const cublasLtMatmulAlgo_t algorithm = candidate.algorithm;
    contestants.emplace_back(
        matmul.flops(), [&matmul, algorithm] { matmul.run(algorithm, nullptr); });
  }
  const Candidate& fastest = best[find_fastest(contestants, 2, timer, "cuBLASLt final")];
  return LtChoice{
      fastest.algorithm, fastest.kernel, settings_text(fastest.algorithm), tried, all.size()};
}
