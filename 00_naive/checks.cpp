// Checks of 00_naive: the kernel on the emulator, on configs that this file names.
#include "../common/tests/stage/stage_checks.h"
#include "config.h"
#include "kernel.cuh"

namespace {

template <int M, int N, int K, int BM, int BN, int BK, int warps_m, int warps_n, int swizzle_ = 0>
struct Naive : TestFields<M, N, K, BM, BN, BK, warps_m, warps_n> {
  static constexpr int swizzle = swizzle_;
};

STAGE_CASE("M, N and K may all differ") {
  check<GemmConfig<Naive<128, 192, 256, 64, 64, 64, 2, 2>>>();
  check<GemmConfig<Naive<256, 512, 64, 128, 128, 64, 2, 2>>>();
}

STAGE_CASE("one k-tile is enough") { check<GemmConfig<Naive<64, 64, 32, 64, 64, 32, 2, 2>>>(); }

STAGE_CASE("a tile may be any number of k-steps deep") {
  check<GemmConfig<Naive<64, 64, 96, 64, 64, 48, 1, 2>>>();
  check<GemmConfig<Naive<64, 64, 224, 64, 64, 112, 2, 1>>>();
}

STAGE_CASE("tiles may reach past the edge of C, and k-tiles past the end of K") {
  check<GemmConfig<Naive<200, 137, 72, 64, 64, 64, 2, 2>>>();
  check<GemmConfig<Naive<1, 1, 8, 64, 64, 16, 2, 2>>>();
  check<GemmConfig<Naive<33, 66, 104, 64, 32, 32, 2, 1>>>();
}

STAGE_CASE("without a swizzle, each ldmatrix.x4 on 128-byte rows has 28 bank conflicts") {
  using Cfg = GemmConfig<Naive<256, 256, 256, 128, 128, 64, 2, 2>>;
  ExactProblem<Cfg> problem;
  const auto result = run_on_emulator(problem);
  CHECK(result.counters.ldmatrix == 2048);
  CHECK(result.counters.bank_conflicts == 28 * 2048);
}

STAGE_CASE("it can be given a swizzle") {
  check<GemmConfig<Naive<64, 64, 128, 64, 64, 64, 2, 2, 128>>>();
}

STAGE_CASE("the checker is silent over 300 seeds" * doctest::skip()) {
  check<GemmConfig<Naive<128, 64, 128, 64, 64, 32, 2, 2>>>(300);
}

}  // namespace
