// The plan of the fused pipeline: which k-step loads which fragments into which registers, and when
// the loads cross into the next BK tile. CPU tests walk it, and docs/fused_pipeline.md draws it.
//
// Count all k-steps of a block, over all tiles: g = 0, 1, 2, ...
//   - fragments of k-step g live in register stage g % wk_stages
//   - while mma works on k-step g, ldmatrix fetches k-step g + lookahead
// so the pipeline runs on over tile boundaries and is filled once, not once per tile.
#pragma once

#include <numeric>

#include "../common/ptx/ptx.cuh"

struct KStep {
  int load_k;         // k-step inside its tile that ldmatrix fetches
  bool load_crosses;  // ... of the next tile
  int load_stage;     // ... into this register stage
  int compute_stage;  // register stage that mma works on
};

template <int warp_k_iters, int wk_stages>
struct FusedSchedule {
  // k-steps by which ldmatrix runs ahead of mma.
  static constexpr int lookahead = wk_stages - 1;

  // From this k-step on, loads come from the next tile: the current one is all in registers.
  static constexpr int crossing = warp_k_iters - lookahead;

  // Register stages repeat after this many tiles. Registers cannot be indexed at run time, so a
  // loop over tiles has to be unrolled by it.
  static constexpr int period = wk_stages / std::gcd(warp_k_iters, wk_stages);

  // What k-step `wk_idx` of tile `tile` does. g is never wrapped before the lookahead is added: the
  // register stage follows from all k-steps so far, not from those of one tile.
  __host__ __device__ static constexpr KStep step(int tile, int wk_idx) {
    const int g = tile * warp_k_iters + wk_idx;
    return {
        (wk_idx + lookahead) % warp_k_iters,  // load_k
        wk_idx >= crossing,                   // load_crosses
        (g + lookahead) % wk_stages,          // load_stage
        g % wk_stages,                        // compute_stage
    };
  }
};
