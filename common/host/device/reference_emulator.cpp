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

// C is computed in tiles of 64 x 64, over 32 steps of K at a time: what the inner loops touch, a
// block of B (16 KB) and one row of sums, stays in the L1 cache.
constexpr int tile_size = 64;
constexpr int k_block_size = 32;

using TileSums = double[tile_size][tile_size];
using BlockOfB = double[k_block_size][tile_size];

// block[k][col] = B[first_col + col][first_k + k], so that the innermost loop runs along columns.
void load_block(
    const Product& product,
    int64_t first_col,
    int cols,
    int64_t first_k,
    int depth,
    BlockOfB& block) {
  for (int col = 0; col < cols; col++) {
    const bf16* source = product.B + (first_col + col) * product.K + first_k;
    for (int k = 0; k < depth; k++) block[k][col] = to_float(source[k]);
  }
}

// sums[row][col] += A[row][k] * block[k][col] over the block's depth. `A` points to the tile's
// first element of it. Columns past the edge of C add up to something that nobody reads.
void multiply_block(
    const bf16* A,
    int64_t K,
    int rows,
    int depth,
    const BlockOfB& block,
    TileSums& sums) {
  for (int row = 0; row < rows; row++) {
    for (int k = 0; k < depth; k++) {
      const double left = to_float(A[row * K + k]);
      for (int col = 0; col < tile_size; col++) sums[row][col] += left * block[k][col];
    }
  }
}

// The tile of C whose first element is (first_row, first_col).
void multiply_tile(const Product& product, int64_t first_row, int64_t first_col, float* C) {
  const auto& [A, B, M, N, K] = product;
  const int rows = static_cast<int>(std::min<int64_t>(tile_size, M - first_row));
  const int cols = static_cast<int>(std::min<int64_t>(tile_size, N - first_col));
  TileSums sums = {};
  BlockOfB block = {};
  for (int64_t k = 0; k < K; k += k_block_size) {
    const int depth = static_cast<int>(std::min<int64_t>(k_block_size, K - k));
    load_block(product, first_col, cols, k, depth, block);
    multiply_block(A + first_row * K + k, K, rows, depth, block, sums);
  }
  for (int row = 0; row < rows; row++) {
    float* target = C + (first_row + row) * N + first_col;
    for (int col = 0; col < cols; col++) target[col] = static_cast<float>(sums[row][col]);
  }
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
  const int64_t tile_rows = (product.M + tile_size - 1) / tile_size;
  const int64_t tile_cols = (product.N + tile_size - 1) / tile_size;
  for_each_in_parallel(tile_rows * tile_cols, [&](int64_t tile) {
    const int64_t first_row = tile / tile_cols * tile_size;
    const int64_t first_col = tile % tile_cols * tile_size;
    multiply_tile(product, first_row, first_col, reference.expected);
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
