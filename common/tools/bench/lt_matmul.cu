#include <cublasLt.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "../../host/device/cuda_check.h"
#include "../../host/support/terminal.h"
#include "kernel_class.h"
#include "launched_kernels.h"
#include "peers.h"

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

using Algorithm = cublasLtMatmulAlgo_t;
using Capability = cublasLtMatmulAlgoCapAttributes_t;
using Setting = cublasLtMatmulAlgoConfigAttributes_t;

// What an algorithm offers, as a list; {0}, which stands for "undefined", if it says nothing.
std::vector<uint32_t> capabilities(const Algorithm& algorithm, Capability which) {
  size_t bytes = 0;
  cublasLtMatmulAlgoCapGetAttribute(&algorithm, which, nullptr, 0, &bytes);
  std::vector<uint32_t> values(bytes / sizeof(uint32_t));
  if (values.empty()) return {0};
  const cublasStatus_t status =
      cublasLtMatmulAlgoCapGetAttribute(&algorithm, which, values.data(), bytes, &bytes);
  if (status != CUBLAS_STATUS_SUCCESS) return {0};
  return values;
}

// The same as one number; 0 if it says nothing.
int capability(const Algorithm& algorithm, Capability which) {
  int32_t value = 0;
  size_t written = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoCapGetAttribute(&algorithm, which, &value, sizeof value, &written);
  return status == CUBLAS_STATUS_SUCCESS ? value : 0;
}

void set(Algorithm& algorithm, Setting which, uint32_t value) {
  cublasLtMatmulAlgoConfigSetAttribute(&algorithm, which, &value, sizeof value);
}

int setting(const Algorithm& algorithm, Setting which) {
  int32_t value = 0;
  size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, which, &value, sizeof value, &written);
  return value;
}

// What tells one algorithm from another, by cuBLASLt's numbers.
std::string settings_text(const Algorithm& algorithm) {
  const struct {
    const char* name;
    Setting which;
  } settings[] = {
      {"algorithm", CUBLASLT_ALGO_CONFIG_ID},
      {"tile", CUBLASLT_ALGO_CONFIG_TILE_ID},
      {"stages", CUBLASLT_ALGO_CONFIG_STAGES_ID},
      {"split-K", CUBLASLT_ALGO_CONFIG_SPLITK_NUM},
      {"reduction", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME},
      {"swizzle", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING},
      {"option", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION},
  };
  std::string text;
  for (const auto& [name, which] : settings) {
    text += format("%s%s %d", text.empty() ? "" : ", ", name, setting(algorithm, which));
  }
  return text;
}

cublasLtMatrixLayout_t make_layout(cudaDataType_t type, int64_t rows, int64_t cols) {
  cublasLtMatrixLayout_t layout = nullptr;
  CUDA_CHECK(cublasLtMatrixLayoutCreate(&layout, type, rows, cols, rows));
  return layout;
}

// The product, by any algorithm that cuBLASLt has.
class LtMatmul {
 public:
  // Rows and columns as in cublas_matmul.cu: read column by column, C^T [N, M] = B A^T, and B is
  // stored as [N, K], so that it is the transposed operand. Throws Refusal.
  LtMatmul(const Product& product, float* C)
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
  ~LtMatmul() {
    cublasLtMatrixLayoutDestroy(a_layout_);
    cublasLtMatrixLayoutDestroy(b_layout_);
    cublasLtMatrixLayoutDestroy(c_layout_);
    cublasLtMatmulDescDestroy(operation_);
    cublasLtDestroy(handle_);
  }
  LtMatmul(const LtMatmul&) = delete;
  LtMatmul& operator=(const LtMatmul&) = delete;

  // Asynchronous. False if the library refuses.
  bool run(const Algorithm& algorithm, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(
               handle_, operation_, &one, product_.B, b_layout_, product_.A, a_layout_, &zero, C_,
               c_layout_, C_, c_layout_, &algorithm, workspace_.get(), workspace_bytes,
               stream) == CUBLAS_STATUS_SUCCESS;
  }

  // Every algorithm with every tile, number of stages and option that the library takes for this
  // product: first those that it recommends, then the others, algorithms in turn.
  std::vector<Algorithm> algorithms() const {
    std::vector<std::vector<Algorithm>> sources;
    for (const int id : known_ids()) sources.push_back(variants_of(id));
    std::vector<Algorithm> all = recommended();
    size_t longest = 0;
    for (const auto& variants : sources) longest = std::max(longest, variants.size());
    for (size_t i = 0; i < longest; i++) {
      for (const auto& variants : sources) {
        if (i < variants.size()) all.push_back(variants[i]);
      }
    }
    std::set<std::string> seen;
    const auto is_known = [&](const Algorithm& algorithm) {
      return !seen.insert(settings_text(algorithm)).second;
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_known), all.end());
    return all;
  }

 private:
  bool accepts(const Algorithm& algorithm) const {
    cublasLtMatmulHeuristicResult_t result = {};
    const cublasStatus_t status = cublasLtMatmulAlgoCheck(
        handle_, operation_, b_layout_, a_layout_, c_layout_, c_layout_, &algorithm, &result);
    return status == CUBLAS_STATUS_SUCCESS && result.state == CUBLAS_STATUS_SUCCESS &&
           result.workspaceSize <= workspace_bytes;
  }

  std::vector<Algorithm> recommended() const {
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
    std::vector<Algorithm> found;
    if (status != CUBLAS_STATUS_SUCCESS) return found;
    for (int i = 0; i < count; i++) {
      if (results[i].state == CUBLAS_STATUS_SUCCESS) found.push_back(results[i].algo);
    }
    return found;
  }

  std::vector<int> known_ids() const {
    constexpr int most = 256;
    std::vector<int> ids(most);
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetIds(
        handle_, compute, scale, input, input, output, output, most, ids.data(), &count);
    ids.resize(status == CUBLAS_STATUS_SUCCESS ? count : 0);
    return ids;
  }

  // The larger tiles and the deeper pipelines have the larger numbers, and come first.
  std::vector<Algorithm> variants_of(int id) const {
    std::vector<Algorithm> variants;
    Algorithm plain;
    if (cublasLtMatmulAlgoInit(handle_, compute, scale, input, input, output, output, id, &plain) !=
        CUBLAS_STATUS_SUCCESS) {
      return variants;
    }
    std::vector<uint32_t> tiles = capabilities(plain, CUBLASLT_ALGO_CAP_TILE_IDS);
    std::vector<uint32_t> depths = capabilities(plain, CUBLASLT_ALGO_CAP_STAGES_IDS);
    std::sort(tiles.rbegin(), tiles.rend());
    std::sort(depths.rbegin(), depths.rend());
    const int options = capability(plain, CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX);
    const int swizzles = capability(plain, CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT);
    std::vector<uint32_t> splits = {1};
    const bool few = ((product_.M + 127) / 128) * ((product_.N + 127) / 128) < few_tiles;
    if (few && capability(plain, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT) != 0) splits = {1, 2, 4, 8};

    int considered = 0;
    for (int option = 0; option <= options; option++) {
      for (const uint32_t split : splits) {
        for (const uint32_t tile : tiles) {
          for (const uint32_t depth : depths) {
            for (int swizzle = 0; swizzle <= swizzles; swizzle++) {
              if (considered++ == most_variants) return variants;
              Algorithm variant = plain;
              set(variant, CUBLASLT_ALGO_CONFIG_TILE_ID, tile);
              set(variant, CUBLASLT_ALGO_CONFIG_STAGES_ID, depth);
              set(variant, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, option);
              set(variant, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, swizzle);
              if (split > 1) {
                set(variant, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, split);
                set(variant, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
                    CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
              }
              if (accepts(variant)) variants.push_back(variant);
            }
          }
        }
      }
    }
    return variants;
  }

  const Product product_;
  float* const C_;
  Buffer<uint8_t> workspace_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_layout_ = nullptr, b_layout_ = nullptr, c_layout_ = nullptr;
};

// An algorithm that runs, and its shortest time so far.
struct Candidate {
  Algorithm algorithm;
  std::string kernel;
  double ms;
};

// Looks for the fastest candidates of the class.
class Search {
 public:
  Search(const LtMatmul& matmul, const std::string& arch) : matmul_(matmul), arch_(arch) {}

  // Runs `algorithm` once or a few times, if it may be of the class.
  void look_at(const Algorithm& algorithm) {
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

  double time_once(const Algorithm& algorithm) const {
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

std::optional<Peer> find_best_lt(
    const Product& product,
    float* C,
    const std::string& arch,
    const Timer& timer,
    double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto matmul = std::make_shared<const LtMatmul>(product, C);
  const std::vector<Algorithm> all = matmul->algorithms();
  const Clock::time_point end =
      Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
  Search search(*matmul, arch);
  size_t tried = 0;
  while (tried < all.size() && Clock::now() < end) {
    show_progress("cuBLASLt algorithm", tried, all.size());
    search.look_at(all[tried++]);
  }

  const std::vector<Candidate> best = search.best(finalists);
  if (best.empty()) return std::nullopt;
  std::vector<Contestant> contestants;
  for (const Candidate& candidate : best) {
    contestants.emplace_back(product.flops(), [matmul, algorithm = candidate.algorithm] {
      if (!matmul->run(algorithm, nullptr)) throw Refusal("cuBLASLt refused what it ran before");
    });
  }
  const size_t fastest = find_fastest(contestants, 2, timer, "cuBLASLt final");
  return Peer{
      contestants[fastest].run, best[fastest].kernel,
      format(
          "%s; %zu of %zu tried", settings_text(best[fastest].algorithm).c_str(), tried,
          all.size())};
}
