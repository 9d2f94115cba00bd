// Matmul on sm_120, step by step: 02_warp_specialized
//
// 00_naive > 01_swizzle > 02_warp_specialized > 03_fused_pipeline
//
// Extends 01_swizzle by roles: one extra warp only copies, the others only multiply. They meet at
// mbarriers, a full and an empty one for each of bk_stages buffers, and never at __syncthreads.
//
//   C[M, N] fp32 row-major = A[M, K] bf16 row-major x B, stored as [N, K] bf16 row-major
//
// A block owns one [BM, BN] tile of C. For each of K/BK tiles:
//   1. the producer waits until the tile's buffer is empty, and tells TMA to fill it
//   2. each consumer warp waits until the buffer is full
//   3. it multiplies its part: ldmatrix to registers, mma.sync into accumulators
//   4. it arrives at the buffer's empty barrier
//
// Run: make 02 && ./02_warp_specialized/run
// Sources: PTX ISA (ldmatrix, mma.sync, mbarrier, cp.async.bulk.tensor); docs/fragments.md
#pragma once

#include "../common/block_swizzle.h"
#include "../common/gemm_maker.cuh"
#include "../common/stage_ring.h"

template <class Cfg>
struct SharedStorage {
  alignas(1024) bf16 As[Cfg::bk_stages][Cfg::BM * Cfg::BK];  // [bk_stages, BM, BK], row-major
  alignas(1024) bf16 Bs[Cfg::bk_stages][Cfg::BN * Cfg::BK];  // [bk_stages, BN, BK], row-major
  mbarrier full[Cfg::bk_stages];                             // the tile has landed
  mbarrier empty[Cfg::bk_stages];                            // all consumer warps have read it
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::threads, Cfg::min_blocks_per_sm) matmul_kernel(
    const __grid_constant__ CUtensorMap a_map,
    const __grid_constant__ CUtensorMap b_map,
    float* C) {
  // Coordinates.
  const TileCoord tile = block_swizzle<Cfg>(blockIdx.x);
  const int block_start_m = tile.m * Cfg::BM;
  const int block_start_n = tile.n * Cfg::BN;
  const GemmMaker<Cfg> gemm(a_map, b_map, threadIdx.x);

  // Shared memory.
  static_assert(SharedMemoryFits<Cfg, sizeof(SharedStorage<Cfg>)>::value);
  auto& smem = shared_storage<SharedStorage<Cfg>>();
  auto As = [&](int stage) { return shared_addr(smem.As[stage]); };
  auto Bs = [&](int stage) { return shared_addr(smem.Bs[stage]); };
  auto full = [&](int stage) { return shared_addr(&smem.full[stage]); };
  auto empty = [&](int stage) { return shared_addr(&smem.empty[stage]); };

  // Barriers. TMA counts bytes on them: fence their initialisation, as CUTLASS does.
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Cfg::bk_stages; stage++) {
      mbarrier_init(full(stage), 1);
      mbarrier_init(empty(stage), Cfg::consumer_warps);
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  // Producer: the last warp, and of it one elected lane.
  if (gemm.warp_id == Cfg::consumer_warps) {
    if (elect_sync()) {
      // A fresh barrier counts as having completed a phase of parity 1: the first lap is free.
      StageRing<Cfg::bk_stages> ring = {0, 1};
      for (int bk_idx = 0; bk_idx < Cfg::block_k_iters; bk_idx++) {
        mbarrier_wait_parity(empty(ring.stage), ring.parity);
        mbarrier_arrive_expect_tx(full(ring.stage), Cfg::As_bytes + Cfg::Bs_bytes);
        gemm.load_A_g2s(bk_idx, block_start_m, As(ring.stage), full(ring.stage));
        gemm.load_B_g2s(bk_idx, block_start_n, Bs(ring.stage), full(ring.stage));
        ring.advance();
      }
    }
    return;
  }

  // Prologue.
  float rc[Cfg::acc_per_warp_m][Cfg::acc_per_warp_n][4] = {};  // [WM, WN] fp32 per warp
  bf16x2 ra[Cfg::acc_per_warp_m][4];                           // [WM, 16] bf16 per warp
  bf16x2 rb[Cfg::acc_per_warp_n][2];                           // [WN, 16] bf16 per warp
  StageRing<Cfg::bk_stages> ring;

  // Main loop.
  for (int bk_idx = 0; bk_idx < Cfg::block_k_iters; bk_idx++) {
    mbarrier_wait_parity(full(ring.stage), ring.parity);

#pragma unroll
    for (int wk_idx = 0; wk_idx < Cfg::warp_k_iters; wk_idx++) {
      gemm.load_A_s2r(ra, As(ring.stage), wk_idx);
      gemm.load_B_s2r(rb, Bs(ring.stage), wk_idx);
      gemm.mma(rc, ra, rb);
    }

    // TMA is about to overwrite what was just read. The arrival orders threads, not TMA, which
    // works through the async proxy: each lane fences its own reads first, then __syncwarp() lets
    // lane 0 arrive for the warp. docs/race.md
    fence_proxy_async_shared_cta();
    __syncwarp();
    if (gemm.lane_id == 0) mbarrier_arrive(empty(ring.stage));
    ring.advance();
  }

  // Drain: nothing is in flight, the last tile was waited for.

  // Store.
  gemm.store_C(C, rc, block_start_m, block_start_n);
}
