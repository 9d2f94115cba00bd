// Checks of 00_naive: the kernel on the emulator, on configs that this file names.
#include "../common/tests/stage_checks.h"

namespace {

#include "config.h"
#include "kernel.cuh"

template <class Cfg>
void check(uint64_t seeds = 3) {
  check_stage<Cfg>(matmul_kernel<Cfg>, sizeof(SharedStorage<Cfg>), seeds);
}

template <class F>
void check_if_legal() {
  using Cfg = GemmConfig<F>;
  if constexpr (!is_legal<Cfg>()) {
    FAIL(why_illegal<Cfg>());
  } else if constexpr (!is_legal<Cfg>(sizeof(SharedStorage<Cfg>))) {
    FAIL(why_illegal<Cfg>(sizeof(SharedStorage<Cfg>)));
  } else {
    check<Cfg>(1);
  }
}

template <int M, int N, int K, int BM, int BN, int BK, int warps_m, int warps_n, int swizzle_ = 0>
struct Naive : TestFields<M, N, K, BM, BN, BK, warps_m, warps_n> {
  static constexpr int swizzle = swizzle_;
};

TEST_CASE("00: M, N and K may all differ") {
  check<GemmConfig<Naive<128, 192, 256, 64, 64, 64, 2, 2>>>();
  check<GemmConfig<Naive<256, 512, 64, 128, 128, 64, 2, 2>>>();
}

TEST_CASE("00: one k-tile is enough") { check<GemmConfig<Naive<64, 64, 32, 64, 64, 32, 2, 2>>>(); }

TEST_CASE("00: a tile may be any number of k-steps deep") {
  check<GemmConfig<Naive<64, 64, 96, 64, 64, 48, 1, 2>>>();
  check<GemmConfig<Naive<64, 64, 224, 64, 64, 112, 2, 1>>>();
}

TEST_CASE("00: tiles may reach past the edge of C, and k-tiles past the end of K") {
  check<GemmConfig<Naive<200, 137, 72, 64, 64, 64, 2, 2>>>();
  check<GemmConfig<Naive<1, 1, 8, 64, 64, 16, 2, 2>>>();
  check<GemmConfig<Naive<33, 66, 104, 64, 32, 32, 2, 1>>>();
}

TEST_CASE("00: without a swizzle, each ldmatrix.x4 on 128-byte rows has 28 bank conflicts") {
  using Cfg = GemmConfig<Naive<256, 256, 256, 128, 128, 64, 2, 2>>;
  ExactProblem<Cfg> problem;
  const auto result = run_on_emulator(problem, matmul_kernel<Cfg>, sizeof(SharedStorage<Cfg>));
  CHECK(result.counters.ldmatrix == 2048);
  CHECK(result.counters.bank_conflicts == 28 * 2048);
}

TEST_CASE("00: it can be given a swizzle") {
  check<GemmConfig<Naive<64, 64, 128, 64, 64, 64, 2, 2, 128>>>();
}

TEST_CASE("00: the checker is silent over 300 seeds" * doctest::skip()) {
  check<GemmConfig<Naive<128, 64, 128, 64, 64, 32, 2, 2>>>(300);
}

TEST_CASE("00: the current config verifies") { check_if_legal<SmallProblem<Fields>>(); }

}  // namespace
