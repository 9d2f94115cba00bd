// The reference on a CPU: a plain loop, with no tile, fragment or swizzle in common with the
// kernels. Summed in double precision and rounded once, on all cores.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "backend.h"
#include "compare.h"

namespace {

// The rows of B^T [K, N], so that the innermost loop runs along columns.
std::vector<float> transposed(const bf16* B, int64_t N, int64_t K) {
  std::vector<float> result(N * K);
  for (int64_t n = 0; n < N; n++) {
    for (int64_t k = 0; k < K; k++) result[k * N + n] = to_float(B[n * K + k]);
  }
  return result;
}

// Row `row` of C.
void multiply_row(const Product& product, const float* B_transposed, int64_t row, float* C) {
  const int64_t N = product.N, K = product.K;
  std::vector<double> sums(N);
  for (int64_t k = 0; k < K; k++) {
    const double left = to_float(product.A[row * K + k]);
    const float* right = B_transposed + k * N;
    for (int64_t n = 0; n < N; n++) sums[n] += left * right[n];
  }
  for (int64_t n = 0; n < N; n++) C[row * N + n] = static_cast<float>(sums[n]);
}

void row_norms(const bf16* matrix, int64_t rows, int64_t K, float* norms) {
  for (int64_t row = 0; row < rows; row++) {
    double sum = 0;
    for (int64_t k = 0; k < K; k++) {
      const double value = to_float(matrix[row * K + k]);
      sum += value * value;
    }
    norms[row] = static_cast<float>(std::sqrt(sum));
  }
}

// Calls work(0) .. work(count - 1), on all cores.
template <class Work>
void for_each_in_parallel(int64_t count, const Work& work) {
  std::atomic<int64_t> next{0};
  const auto worker = [&] {
    for (int64_t i = next++; i < count; i = next++) work(i);
  };
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min(cores, count); i++) helpers.emplace_back(worker);
  worker();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace

namespace backend {

void compute_reference(const Product& product, const Reference& reference) {
  const std::vector<float> B_transposed = transposed(product.B, product.N, product.K);
  for_each_in_parallel(product.M, [&](int64_t row) {
    multiply_row(product, B_transposed.data(), row, reference.expected);
  });
  row_norms(product.A, product.M, product.K, reference.a_norms);
  row_norms(product.B, product.N, product.K, reference.b_norms);
}

Comparison compare(
    const float* C,
    const Product& product,
    const Reference& reference,
    double tolerance,
    bool exact) {
  const int64_t N = product.N;
  Comparison result;
  for (int64_t i = 0; i < product.M * N; i++) {
    const double scale = static_cast<double>(reference.a_norms[i / N]) * reference.b_norms[i % N];
    const ElementCheck check = check_element(C[i], reference.expected[i], scale, tolerance, exact);
    result.max_rel_error = std::max(result.max_rel_error, check.rel_error);
    if (check.right) continue;
    if (result.wrong++ == 0) result.first_wrong = i;
  }
  return result;
}

}  // namespace backend
