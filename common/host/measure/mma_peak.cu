#include "mma_peak.h"

#include <algorithm>
#include <cmath>

#include "../device/cuda_check.h"

namespace {

constexpr int fragment_sets = 2;  // A fragments and B fragments to combine in a pass
constexpr int most_warps_per_sm = 16;
constexpr double mma_flops = 2.0 * 16 * 8 * 16;

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two neighbouring inputs in one register; every call of every thread takes others.
__device__ uint32_t load_pair(const bf16* inputs, int64_t count, int64_t& next) {
  const int64_t at = next % (count - 1);
  next += 2 * int64_t{gridDim.x} * blockDim.x;
  return inputs[at].bits | uint32_t{inputs[at + 1].bits} << 16;
}

// An outer product of fragments, as in the kernels, over and over. A pass combines each set of A
// with each of B, and then changes A's signs: no mma sees the operands of the one before, and the
// accumulators stay as small as those of a real product.
template <int acc_m, int acc_n>
__global__ void mma_loop_kernel(const bf16* inputs, int64_t count, int64_t passes, float* results) {
  const int64_t thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint32_t a[fragment_sets][acc_m][4];
  uint32_t b[fragment_sets][acc_n][2];
  float c[acc_m][acc_n][4] = {};
  int64_t next = 2 * thread;
#pragma unroll
  for (int set = 0; set < fragment_sets; set++) {
#pragma unroll
    for (int i = 0; i < acc_m * 4; i++) a[set][i / 4][i % 4] = load_pair(inputs, count, next);
#pragma unroll
    for (int i = 0; i < acc_n * 2; i++) b[set][i / 2][i % 2] = load_pair(inputs, count, next);
  }

#pragma unroll 1
  for (int64_t pass = 0; pass < passes; pass++) {
#pragma unroll
    for (int pair = 0; pair < fragment_sets * fragment_sets; pair++) {
#pragma unroll
      for (int m = 0; m < acc_m; m++) {
#pragma unroll
        for (int n = 0; n < acc_n; n++) {
          mma(c[m][n], a[pair / fragment_sets][m], b[pair % fragment_sets][n]);
        }
      }
    }
#pragma unroll
    for (int set = 0; set < fragment_sets; set++) {
#pragma unroll
      for (int i = 0; i < acc_m * 4; i++) a[set][i / 4][i % 4] ^= 0x80008000u;
    }
  }

  float sum = 0;
#pragma unroll
  for (int m = 0; m < acc_m; m++) {
#pragma unroll
    for (int n = 0; n < acc_n; n++) sum += c[m][n][0] + c[m][n][1] + c[m][n][2] + c[m][n][3];
  }
  results[thread] = sum;
}

using LoopKernel = void (*)(const bf16*, int64_t, int64_t, float*);

LoopKernel find_kernel(const MmaLoop& loop) {
  if (loop.acc_m == 4 && loop.acc_n == 8) return mma_loop_kernel<4, 8>;
  if (loop.acc_m == 4 && loop.acc_n == 4) return mma_loop_kernel<4, 4>;
  if (loop.acc_m == 2 && loop.acc_n == 8) return mma_loop_kernel<2, 8>;
  return mma_loop_kernel<2, 4>;
}

}  // namespace

std::string MmaLoop::text() const {
  return format("%d warps per SM, %dx%d accumulators", warps_per_sm, acc_m, acc_n);
}

MmaPeak::MmaPeak(const Product& product, int sm_count)
    : product_(product),
      sm_count_(sm_count),
      least_flops_(std::max(product.flops(), 2.0 * 8192 * 8192 * 8192)),
      results_(int64_t{sm_count} * most_warps_per_sm * 32) {}

double MmaPeak::flops_of_pass(const MmaLoop& loop) const {
  return mma_flops * fragment_sets * fragment_sets * loop.acc_m * loop.acc_n * loop.warps_per_sm *
         sm_count_;
}

int64_t MmaPeak::passes(const MmaLoop& loop) const {
  return static_cast<int64_t>(std::ceil(least_flops_ / flops_of_pass(loop)));
}

double MmaPeak::flops(const MmaLoop& loop) const {
  return flops_of_pass(loop) * static_cast<double>(passes(loop));
}

void MmaPeak::run(const MmaLoop& loop) const {
  find_kernel(loop)<<<sm_count_, loop.warps_per_sm * 32>>>(
      product_.A, product_.M * product_.K, passes(loop), results_.get());
  CUDA_CHECK(cudaGetLastError());
}

MmaLoop find_fastest_loop(const MmaPeak& peak, const Timer& timer) {
  const MmaLoop loops[] = {{8, 4, 8}, {4, 4, 8},  {8, 4, 4}, {12, 4, 4},
                           {8, 2, 8}, {12, 2, 8}, {8, 2, 4}, {16, 2, 4}};
  std::vector<Contestant> contestants;
  for (const MmaLoop& loop : loops) {
    contestants.emplace_back(peak.flops(loop), [&peak, loop] { peak.run(loop); });
  }
  return loops[find_fastest(contestants, 1, timer, "mma.sync loop")];
}
