// Checks of 01_swizzle: the kernel on the emulator, on configs that this file names.
#include "../common/tests/stage/stage_checks.h"
#include "config.h"
#include "kernel.cuh"

namespace {

template <int M, int N, int K, int BM, int BN, int BK, int swizzle_, int group_m_, int group_n_>
struct Swizzled : TestFields<M, N, K, BM, BN, BK, 2, 2> {
  static constexpr int swizzle = swizzle_;
  static constexpr int group_m = group_m_;
  static constexpr int group_n = group_n_;
};

STAGE_CASE("each swizzle that fits its row gives the exact product, without bank conflicts") {
  check<GemmConfig<Swizzled<128, 192, 128, 64, 64, 16, 32, 2, 2>>>();
  check<GemmConfig<Swizzled<128, 192, 128, 64, 64, 32, 64, 2, 2>>>();
  check<GemmConfig<Swizzled<128, 192, 128, 64, 64, 64, 128, 2, 2>>>();

  using Cfg = GemmConfig<Swizzled<256, 256, 256, 128, 128, 64, 128, 8, 8>>;
  ExactProblem<Cfg> problem;
  const auto result = run_on_emulator(problem);
  CHECK(result.counters.ldmatrix == 2048);
  CHECK(result.counters.bank_conflicts == 0);
}

STAGE_CASE("groups need not divide the grid, and may be larger than it") {
  check<GemmConfig<Swizzled<32 * 9, 32 * 5, 32, 32, 32, 32, 64, 8, 8>>>(1);
  check<GemmConfig<Swizzled<32 * 10, 32 * 3, 32, 32, 32, 32, 64, 8, 2>>>(1);
  check<GemmConfig<Swizzled<32 * 2, 32 * 3, 32, 32, 32, 32, 64, 50, 50>>>(1);
}

STAGE_CASE("tiles may reach past the edge of C, and k-tiles past the end of K") {
  check<GemmConfig<Swizzled<200, 137, 72, 64, 64, 64, 128, 8, 8>>>();
}

STAGE_CASE("the checker is silent over 300 seeds" * doctest::skip()) {
  check<GemmConfig<Swizzled<128, 64, 128, 64, 64, 32, 64, 2, 2>>>(300);
}

}  // namespace
