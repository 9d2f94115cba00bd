// Matmul on sm_120, step by step: 03_fused_pipeline
//
// 00_naive > 01_swizzle > 02_warp_specialized > 03_fused_pipeline
//
// Extends 02_warp_specialized by a second pipeline, and needs no roles for it. Outside, TMA fills
// bk_stages shared-memory buffers ahead; inside, ldmatrix fills wk_stages sets of registers ahead
// of mma. The two are fused: ldmatrix runs on into the next tile while mma finishes this one.
//
//   C[M, N] fp32 row-major = A[M, K] bf16 row-major x B, stored as [N, K] bf16 row-major
//
// A block owns one [BM, BN] tile of C. For each of K/BK tiles:
//   1. each warp loads fragments of a k-step ahead, and multiplies those it has
//   2. when the whole tile is in registers, all threads meet, and TMA refills its buffer
//   3. all threads wait for the next tile, and its first loads cover this tile's last mma
//
// Run: make 03 && ./03_fused_pipeline/run
// Sources: PTX ISA (ldmatrix, mma.sync, mbarrier, cp.async.bulk.tensor); docs/fused_pipeline.md
#pragma once

#include "../common/block_swizzle.h"
#include "../common/gemm_maker.cuh"
#include "../common/stage_ring.h"
#include "schedule.h"

template <class Cfg>
struct SharedStorage {
  alignas(1024) bf16 As[Cfg::bk_stages][Cfg::BM * Cfg::BK];  // [bk_stages, BM, BK], row-major
  alignas(1024) bf16 Bs[Cfg::bk_stages][Cfg::BN * Cfg::BK];  // [bk_stages, BN, BK], row-major
  mbarrier full[Cfg::bk_stages];                             // the tile has landed
};

template <class Cfg>
__global__ void __launch_bounds__(Cfg::threads, Cfg::min_blocks_per_sm) matmul_kernel(
    const __grid_constant__ CUtensorMap a_map,
    const __grid_constant__ CUtensorMap b_map,
    float* C) {
  using Schedule = FusedSchedule<Cfg::warp_k_iters, Cfg::wk_stages>;

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

  // Barriers. TMA counts bytes on them: fence their initialisation, as CUTLASS does.
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Cfg::bk_stages; stage++) mbarrier_init(full(stage), 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  // Prologue.
  float rc[Cfg::acc_per_warp_m][Cfg::acc_per_warp_n][4] = {};  // [WM, WN] fp32 per warp
  bf16x2 ra[Cfg::wk_stages][Cfg::acc_per_warp_m][4];           // [wk_stages, WM, 16] bf16 per warp
  bf16x2 rb[Cfg::wk_stages][Cfg::acc_per_warp_n][2];           // [wk_stages, WN, 16] bf16 per warp
  StageRing<Cfg::bk_stages> ring;                              // the buffer that ldmatrix reads

  // Outer pipeline: fill every buffer that has a tile. One elected thread.
  auto issue_tma = [&](int bk_idx, int stage) {
    mbarrier_arrive_expect_tx(full(stage), Cfg::As_bytes + Cfg::Bs_bytes);
    gemm.load_A_g2s(bk_idx, block_start_m, As(stage), full(stage));
    gemm.load_B_g2s(bk_idx, block_start_n, Bs(stage), full(stage));
  };
  if (gemm.warp_id == 0 && elect_sync()) {
    for (int s = 0; s < Cfg::bk_stages && s < Cfg::block_k_iters; s++) issue_tma(s, s);
  }

  // Inner pipeline: load `lookahead` k-steps of the first tile.
  auto load_s2r = [&](int wk_stage, int wk_idx) {
    gemm.load_A_s2r(ra[wk_stage], As(ring.stage), wk_idx);
    gemm.load_B_s2r(rb[wk_stage], Bs(ring.stage), wk_idx);
  };
  mbarrier_wait_parity(full(ring.stage), ring.parity);
#pragma unroll
  for (int wk_idx = 0; wk_idx < Schedule::lookahead; wk_idx++) load_s2r(wk_idx, wk_idx);

  // From tile bk_idx to the next: its fragments are all in registers or on their way.
  auto cross_tile = [&](int bk_idx) {
    // TMA is about to overwrite what was just read. The barrier orders threads, not TMA, which
    // works through the async proxy: each thread fences its own reads first. docs/race.md
    fence_proxy_async_shared_cta();
    __syncthreads();
    if (gemm.warp_id == 0 && bk_idx + Cfg::bk_stages < Cfg::block_k_iters && elect_sync()) {
      issue_tma(bk_idx + Cfg::bk_stages, ring.stage);
    }
    ring.advance();
    mbarrier_wait_parity(full(ring.stage), ring.parity);
  };

  // The k-steps of one tile. `u` is bk_idx in the schedule's period, and known to the compiler.
  auto fused_tile = [&](int bk_idx, int u, bool is_last) {
#pragma unroll
    for (int wk_idx = 0; wk_idx < Cfg::warp_k_iters; wk_idx++) {
      const KStep step = Schedule::step(u, wk_idx);
      if (!is_last && wk_idx == Schedule::crossing) cross_tile(bk_idx);
      if (!is_last || !step.load_crosses) load_s2r(step.load_stage, step.load_k);
      gemm.mma(rc, ra[step.compute_stage], rb[step.compute_stage]);
    }
    if (!is_last && Schedule::crossing == Cfg::warp_k_iters) cross_tile(bk_idx);
  };

  // Main loop: every tile but the last, a period of the schedule at a time.
  constexpr int last = Cfg::block_k_iters - 1;
  constexpr int rest = last % Schedule::period;
  for (int bk_idx = 0; bk_idx < last - rest; bk_idx += Schedule::period) {
#pragma unroll
    for (int u = 0; u < Schedule::period; u++) fused_tile(bk_idx + u, u, false);
  }

  // Drain: what is left of a period, and the last tile, which has no next one to load from.
#pragma unroll
  for (int u = 0; u < rest; u++) fused_tile(last - rest + u, u, false);
  fused_tile(last, rest, true);

  // Store.
  gemm.store_C(C, rc, block_start_m, block_start_n);
}
