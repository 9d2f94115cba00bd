#include "expected_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../device/compare.h"
#include "../support/refusal.h"
#include "../support/text.h"
#include "element_location.h"

InputRule input_rule(Inputs inputs, uint64_t seed, int64_t K) {
  const InputRule rule = {inputs, seed, integer_magnitude(K)};
  if (inputs == Inputs::integers && rule.magnitude == 0) {
    throw Refusal(format(
        "--inputs integers: K = %lld products do not sum exactly in fp32 (below 2^24 they do); "
        "use --inputs uniform",
        static_cast<long long>(K)));
  }
  return rule;
}

std::vector<int64_t> sample_indices(const ConfigDescription& config, uint64_t seed) {
  const int64_t M = config.M, N = config.N;
  std::vector<int64_t> indices;
  for (const int64_t row : {int64_t{0}, M / 2, M - 1}) {  // corners and middles of edges
    for (const int64_t col : {int64_t{0}, N / 2, N - 1}) indices.push_back(row * N + col);
  }
  const int64_t GN = config.GN(), tiles = config.blocks();
  const int64_t sampled_tiles = std::min<int64_t>(tiles, 1024);
  for (int64_t i = 0; i < sampled_tiles; i++) {
    const int64_t tile = i * tiles / sampled_tiles;
    const uint64_t bits = mix_bits(seed + i);
    const int64_t row = tile / GN * config.BM + static_cast<int64_t>(bits % config.BM);
    const int64_t col = tile % GN * config.BN + static_cast<int64_t>((bits >> 32) % config.BN);
    indices.push_back(std::min(row, M - 1) * N + std::min(col, N - 1));
  }
  for (int i = 0; i < 256; i++)
    indices.push_back(mix_bits(~seed - i) % static_cast<uint64_t>(M * N));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

ExactElement exact_element(const ConfigDescription& config, const InputRule& rule, int64_t index) {
  const int64_t a_start = index / config.N * config.K;
  const int64_t b_start = index % config.N * config.K;
  double sum = 0, a_squares = 0, b_squares = 0;
  for (int64_t k = 0; k < config.K; k++) {
    const double a = to_float(to_bf16(input_value(rule, 'A', a_start + k)));
    const double b = to_float(to_bf16(input_value(rule, 'B', b_start + k)));
    sum += a * b;
    a_squares += a * a;
    b_squares += b * b;
  }
  return {sum, std::sqrt(a_squares * b_squares)};
}

std::string find_reference_fault(
    const ConfigDescription& config,
    const InputRule& rule,
    const float* product) {
  const std::vector<int64_t> indices = sample_indices(config, rule.seed);
  const std::vector<float> sampled = backend::gather(product, indices);
  const double tolerance = tolerance_for(config.K);
  const bool exact = rule.kind == Inputs::integers;
  for (size_t i = 0; i < indices.size(); i++) {
    const ExactElement element = exact_element(config, rule, indices[i]);
    const float expected = static_cast<float>(element.value);
    if (check_element(sampled[i], expected, element.scale, tolerance, exact).right) continue;
    return format(
        "cuBLAS is wrong at C[%lld, %lld]: %.9g, where double precision gives %.9g; nothing can be "
        "verified against it, try --inputs integers or another cuBLAS",
        static_cast<long long>(indices[i] / config.N),
        static_cast<long long>(indices[i] % config.N), sampled[i], expected);
  }
  return "";
}

ExpectedProduct::ExpectedProduct(const ConfigDescription& config, Inputs inputs)
    : config_(config),
      inputs_(inputs),
      tolerance_(inputs == Inputs::integers ? 0 : tolerance_for(config.K)),
      expected_(config.M * config.N),
      a_norms_(config.M),
      b_norms_(config.N) {}

void ExpectedProduct::prepare(Matrices& matrices, uint64_t seed) {
  rule_ = input_rule(inputs_, seed, config_.K);
  matrices.fill_inputs(rule_);
  backend::compute_reference(matrices.product(), reference());
  if (!backend::reference_needs_check()) return;
  refuse_if(find_reference_fault(config_, rule_, elements()));
}

ProductCheck ExpectedProduct::check(const Matrices& matrices, const ConfigDescription* kernel)
    const {
  const backend::Comparison comparison =
      backend::compare(matrices.C(), matrices.product(), reference(), tolerance_, exact());
  ProductCheck result;
  result.right = comparison.wrong == 0;
  result.max_rel_error = comparison.max_rel_error;
  result.fault = result.right ? matrices.find_stray_write(rule_).value_or("")
                              : mismatch_text(matrices, comparison, kernel);
  return result;
}

std::string ExpectedProduct::mismatch_text(
    const Matrices& matrices,
    const backend::Comparison& comparison,
    const ConfigDescription* kernel) const {
  const int64_t index = comparison.first_wrong;
  const int64_t row = index / config_.N, col = index % config_.N;
  const float got = backend::gather(matrices.C(), {index})[0];
  uint32_t bits;
  std::memcpy(&bits, &got, sizeof bits);
  return format(
      "C[%lld, %lld]: got %s, expected %.9g%s; %s of %s elements are wrong",
      static_cast<long long>(row), static_cast<long long>(col),
      bits == 0xffffffffu ? "nothing (never written)" : format("%.9g", got).c_str(),
      backend::gather(elements(), {index})[0],
      kernel ? (", in " + location_text(locate_element(*kernel, row, col))).c_str() : "",
      with_commas(comparison.wrong).c_str(), with_commas(config_.M * config_.N).c_str());
}
