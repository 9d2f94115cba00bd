// Matmul on sm_120, step by step: 00_naive
//
// 00_naive > 01_swizzle > 02_warp_specialized > 03_fused_pipeline
//
// The first complete kernel. It has every part that the fast ones have, and overlaps nothing.
//
//   C[M, N] fp32 row-major = A[M, K] bf16 row-major x B, stored as [N, K] bf16 row-major
//
// A block owns one [BM, BN] tile of C. For each of K/BK tiles:
//   1. one thread tells TMA to copy a tile of A and of B to shared memory
//   2. all threads wait for both at the mbarrier
//   3. each warp multiplies its part: ldmatrix to registers, mma.sync into accumulators
//   4. all threads meet, so that the one buffer can be filled again
//
// Run: make 00 && ./00_naive/run
// Sources: PTX ISA (ldmatrix, mma.sync, mbarrier, cp.async.bulk.tensor); docs/fragments.md
#pragma once

#include "../common/block_swizzle.h"
#include "../common/gemm_maker.cuh"

template <class Cfg>
struct SharedStorage {
  alignas(1024) bf16 As[Cfg::BM * Cfg::BK];  // [BM, BK], row-major
  alignas(1024) bf16 Bs[Cfg::BN * Cfg::BK];  // [BN, BK], row-major
  mbarrier full;                             // the tile has landed
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::threads, Cfg::min_blocks_per_sm) matmul_kernel(
    const __grid_constant__ CUtensorMap a_map,
    const __grid_constant__ CUtensorMap b_map,
    float* C) {
  // Coordinates.
  const TileCoord tile = row_major_tile<Cfg>(blockIdx.x);
  const int block_start_m = tile.m * Cfg::BM;
  const int block_start_n = tile.n * Cfg::BN;
  const GemmMaker<Cfg> gemm(a_map, b_map, threadIdx.x);

  // Shared memory.
  static_assert(SharedMemoryFits<Cfg, sizeof(SharedStorage<Cfg>)>::value);
  auto& smem = shared_storage<SharedStorage<Cfg>>();
  const uint32_t As = shared_addr(smem.As);
  const uint32_t Bs = shared_addr(smem.Bs);
  const uint32_t full = shared_addr(&smem.full);

  // Barriers. TMA counts bytes on them: fence their initialisation, as CUTLASS does.
  if (threadIdx.x == 0) {
    mbarrier_init(full, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  // Prologue.
  float rc[Cfg::acc_per_warp_m][Cfg::acc_per_warp_n][4] = {};  // [WM, WN] fp32 per warp
  bf16x2 ra[Cfg::acc_per_warp_m][4];                           // [WM, 16] bf16 per warp
  bf16x2 rb[Cfg::acc_per_warp_n][2];                           // [WN, 16] bf16 per warp
  uint32_t parity = 0;

  // Main loop.
  for (int bk_idx = 0; bk_idx < Cfg::block_k_iters; bk_idx++) {
    // One thread orders the tile. It is elected, so that nvcc can see that it is only one.
    if (gemm.warp_id == 0 && elect_sync()) {
      mbarrier_arrive_expect_tx(full, Cfg::As_bytes + Cfg::Bs_bytes);
      gemm.load_A_g2s(bk_idx, block_start_m, As, full);
      gemm.load_B_g2s(bk_idx, block_start_n, Bs, full);
    }
    mbarrier_wait_parity(full, parity);
    parity ^= 1;

#pragma unroll
    for (int wk_idx = 0; wk_idx < Cfg::warp_k_iters; wk_idx++) {
      gemm.load_A_s2r(ra, As, wk_idx);
      gemm.load_B_s2r(rb, Bs, wk_idx);
      gemm.mma(rc, ra, rb);
    }

    // TMA is about to overwrite what was just read. The barrier orders threads, not TMA, which
    // works through the async proxy: each thread fences its own reads first. docs/race.md
    fence_proxy_async_shared_cta();
    __syncthreads();
  }

  // Drain: nothing is in flight, the last tile was waited for.

  // Store.
  gemm.store_C(C, rc, block_start_m, block_start_n);
}
