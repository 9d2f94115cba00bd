// Checks of 03_fused_pipeline: the kernel on the emulator, on configs that this file names.
#include "../common/tests/stage/stage_checks.h"
#include "config.h"
#include "kernel.cuh"

namespace {

template <int M, int N, int K, int BM, int BN, int BK, int bk_stages_, int wk_stages_>
struct Fused : TestFields<M, N, K, BM, BN, BK, 2, 2> {
  static constexpr int bk_stages = bk_stages_;
  static constexpr int wk_stages = wk_stages_;
  static constexpr int swizzle = BK == 64 ? 128 : BK == 32 ? 64 : 0;
  static constexpr int group_m = 2;
  static constexpr int group_n = 2;
};

// Walks the schedule as the kernel does, and checks that each k-step is loaded once, from its own
// tile, into registers that nobody still needs, and multiplied once, in order.
template <int warp_k_iters, int wk_stages>
void walk_schedule(int tiles) {
  using Schedule = FusedSchedule<warp_k_iters, wk_stages>;
  const int steps = tiles * warp_k_iters;
  std::vector<int> holds(wk_stages, -1);  // the k-step in each register stage
  int loaded = 0;
  auto load = [&](int stage, int step) {
    CHECK(step == loaded);
    loaded++;
    holds[static_cast<size_t>(stage)] = step;
  };
  for (int k = 0; k < Schedule::lookahead; k++) load(k, k);

  for (int tile = 0; tile < tiles; tile++) {
    const int u = tile % Schedule::period;
    const bool is_last = tile == tiles - 1;
    for (int wk_idx = 0; wk_idx < warp_k_iters; wk_idx++) {
      const KStep step = Schedule::step(u, wk_idx);
      if (!is_last || !step.load_crosses) {
        const int from = step.load_crosses ? tile + 1 : tile;
        load(step.load_stage, from * warp_k_iters + step.load_k);
      }
      CHECK(holds[static_cast<size_t>(step.compute_stage)] == tile * warp_k_iters + wk_idx);
    }
  }
  CHECK(loaded == steps);
}

template <int warp_k_iters, int wk_stages>
void walk_all_up_to() {
  for (int tiles = 1; tiles <= 13; tiles++) walk_schedule<warp_k_iters, wk_stages>(tiles);
  if constexpr (wk_stages < warp_k_iters) {
    walk_all_up_to<warp_k_iters, wk_stages + 1>();
  } else if constexpr (warp_k_iters < 8) {
    walk_all_up_to<warp_k_iters + 1, 1>();
  }
}

STAGE_CASE("the fused schedule is right on the odd instance: 10 tiles of 7 k-steps, 4 stages") {
  walk_schedule<7, 4>(10);
  CHECK(FusedSchedule<7, 4>::crossing == 4);
  CHECK(FusedSchedule<7, 4>::period == 4);
}

STAGE_CASE("the fused schedule is right for every tile of up to 8 k-steps and every wk_stages") {
  walk_all_up_to<1, 1>();
}

STAGE_CASE("the odd instance: 10 tiles in 3 buffers, 7 k-steps in 4 register stages") {
  check<GemmConfig<Fused<64, 64, 1120, 64, 64, 112, 3, 4>>>();
}

STAGE_CASE("any number of buffers works, more than there are tiles too") {
  check<GemmConfig<Fused<128, 192, 256, 64, 64, 64, 1, 2>>>();
  check<GemmConfig<Fused<128, 192, 256, 64, 64, 64, 2, 2>>>();
  check<GemmConfig<Fused<64, 64, 128, 64, 64, 64, 4, 2>>>();
}

STAGE_CASE("wk_stages may be 1, all of BK / 16, or a number that does not divide it") {
  check<GemmConfig<Fused<64, 64, 320, 64, 64, 64, 2, 1>>>();
  check<GemmConfig<Fused<64, 64, 320, 64, 64, 64, 2, 4>>>();
  check<GemmConfig<Fused<64, 64, 448, 64, 64, 64, 3, 3>>>();
  check<GemmConfig<Fused<64, 64, 240, 64, 64, 48, 3, 2>>>();
  check<GemmConfig<Fused<64, 64, 80, 64, 64, 16, 3, 1>>>();
}

STAGE_CASE("one k-tile is enough: there is no next one to cross into") {
  check<GemmConfig<Fused<64, 128, 64, 64, 64, 64, 3, 2>>>();
  check<GemmConfig<Fused<64, 64, 64, 64, 64, 64, 2, 3>>>();
}

STAGE_CASE("tiles may reach past the edge of C, and k-tiles past the end of K") {
  check<GemmConfig<Fused<200, 137, 72, 64, 64, 64, 3, 2>>>();
  check<GemmConfig<Fused<1, 1, 8, 64, 64, 16, 2, 1>>>();
}

STAGE_CASE("the checker is silent over 300 seeds" * doctest::skip()) {
  check<GemmConfig<Fused<128, 64, 320, 64, 64, 64, 3, 3>>>(300);
}

}  // namespace
