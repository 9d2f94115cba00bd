// Checks of 02_warp_specialized: the kernel on the emulator, on configs that this file names.
#include "../common/tests/stage/stage_checks.h"
#include "config.h"
#include "kernel.cuh"

namespace {

template <int M, int N, int K, int BM, int BN, int BK, int bk_stages_, int warps_m, int warps_n>
struct Specialized : TestFields<M, N, K, BM, BN, BK, warps_m, warps_n> {
  static constexpr int bk_stages = bk_stages_;
  static constexpr int producer_warps = 1;
  static constexpr int swizzle = BK == 64 ? 128 : BK == 32 ? 64 : 0;
  static constexpr int group_m = 2;
  static constexpr int group_n = 2;
};

STAGE_CASE("any number of buffers works, more than there are tiles too") {
  check<GemmConfig<Specialized<128, 192, 256, 64, 64, 32, 1, 2, 2>>>();
  check<GemmConfig<Specialized<128, 192, 256, 64, 64, 32, 2, 2, 2>>>();
  check<GemmConfig<Specialized<128, 192, 256, 64, 64, 32, 3, 2, 2>>>();
  check<GemmConfig<Specialized<64, 64, 128, 64, 64, 64, 4, 1, 2>>>();
}

STAGE_CASE("one k-tile is enough: no barrier waits for a second lap") {
  check<GemmConfig<Specialized<64, 128, 64, 64, 64, 64, 3, 2, 1>>>();
}

STAGE_CASE("tiles may reach past the edge of C, and k-tiles past the end of K") {
  check<GemmConfig<Specialized<200, 137, 72, 64, 64, 64, 3, 2, 2>>>();
  check<GemmConfig<Specialized<1, 1, 8, 64, 64, 16, 2, 2, 2>>>();
}

STAGE_CASE("in 20 random orders of warps, lanes and landings, nothing goes wrong") {
  check<GemmConfig<Specialized<64, 64, 384, 64, 64, 48, 3, 2, 2>>>(20);
}

STAGE_CASE("the checker is silent over 300 seeds" * doctest::skip()) {
  check<GemmConfig<Specialized<128, 64, 256, 64, 64, 32, 3, 2, 2>>>(300);
}

}  // namespace
