// What the tests of a stage share: run its kernel on the emulator with exact inputs, and demand the
// exact result, untouched surroundings and not one report, under every schedule.
//
// A stage has a test program of its own: its checks.cpp, and the files beside this one, which hold
// what is true of every stage. Those are compiled once a stage, behind its config.h and kernel.cuh.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../../config.h"
#include "../../emulator/emulator.h"
#include "../../host/device/tensor_map.h"
#include "../../ptx/ptx.cuh"

// STAGE_CASE("what holds") is TEST_CASE("02: what holds"); the build says which stage this is.
#ifndef STAGE
#define STAGE "NN"
#endif
#define STAGE_CASE(...) TEST_CASE(STAGE ": " __VA_ARGS__)

// What a config.h and a kernel.cuh have.
struct Fields;
template <class Cfg>
struct SharedStorage;
template <class Cfg>
__global__ void matmul_kernel(
    const __grid_constant__ CUtensorMap a_map,
    const __grid_constant__ CUtensorMap b_map,
    float* C);

// A problem of a config's shape, with C in the middle of a guarded buffer.
template <class Cfg>
class ExactProblem {
 public:
  ExactProblem() : A_(count(Cfg::M, Cfg::K)), B_(count(Cfg::N, Cfg::K)) {
    // Small integers without 0: every sum is exact, and no product can be missing unnoticed.
    uint32_t state = 1;
    for (std::vector<bf16>* operand : {&A_, &B_}) {
      for (bf16& element : *operand) {
        state = state * 1664525u + 1013904223u;
        const int value = static_cast<int>(state >> 29) - 4;
        element = to_bf16(static_cast<float>(value < 0 ? value : value + 1));
      }
    }
    expected_.resize(count(Cfg::M, Cfg::N));
    std::vector<float> b(B_.size());
    for (size_t i = 0; i < b.size(); i++) b[i] = to_float(B_[i]);
    for (size_t m = 0; m < Cfg::M; m++) {
      std::vector<float> a(Cfg::K);
      for (size_t k = 0; k < Cfg::K; k++) a[k] = to_float(A_[m * Cfg::K + k]);
      for (size_t n = 0; n < Cfg::N; n++) {
        float sum = 0;
        for (size_t k = 0; k < Cfg::K; k++) sum += a[k] * b[n * Cfg::K + k];
        expected_[m * Cfg::N + n] = sum;
      }
    }
  }

  const std::vector<bf16>& A() const { return A_; }
  const std::vector<bf16>& B() const { return B_; }

  // C[M, N], full of NaN.
  float* fresh_C() {
    C_.assign(expected_.size() + 2 * guard, std::numeric_limits<float>::quiet_NaN());
    return C_.data() + guard;
  }

  // Elements of C that are not the exact sum.
  size_t wrong_elements() const {
    size_t wrong = 0;
    for (size_t i = 0; i < expected_.size(); i++) wrong += !(C_[guard + i] == expected_[i]);
    return wrong;
  }

  // Elements around C that were written.
  size_t guard_writes() const {
    size_t written = 0;
    for (size_t i = 0; i < guard; i++) {
      written += C_[i] == C_[i];
      written += C_[C_.size() - 1 - i] == C_[C_.size() - 1 - i];
    }
    return written;
  }

 private:
  static constexpr size_t guard = 1024;

  static constexpr size_t count(size_t rows, size_t cols) { return rows * cols; }

  std::vector<bf16> A_, B_;
  std::vector<float> C_, expected_;
};

// Runs the stage's kernel once and returns what the emulator counted and reported.
template <class Cfg>
emulator::LaunchResult run_on_emulator(
    ExactProblem<Cfg>& problem,
    emulator::LaunchOptions options = {}) {
  const TensorMaps maps =
      make_tensor_maps(problem.A().data(), problem.B().data(), config_values<Cfg>());
  float* C = problem.fresh_C();
  return emulator::launch(
      static_cast<unsigned>(Cfg::blocks), Cfg::threads, sizeof(SharedStorage<Cfg>), options,
      [&] { matmul_kernel<Cfg>(maps.A, maps.B, C); });
}

// The kernel gives the exact product, under bytes that land at once, at the last moment, and in
// `seeds` random orders; it writes nothing but C, breaks no rule, and does no work twice.
template <class Cfg>
void check(uint64_t seeds = 3) {
  using emulator::LandingSchedule;
  ExactProblem<Cfg> problem;
  std::vector<emulator::LaunchOptions> schedules = {
      {LandingSchedule::eager, 0}, {LandingSchedule::lazy, 0}};
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    schedules.push_back({LandingSchedule::random, seed});
  }

  for (const emulator::LaunchOptions& options : schedules) {
    CAPTURE(static_cast<int>(options.schedule));
    CAPTURE(options.seed);
    const emulator::LaunchResult result = run_on_emulator(problem, options);
    for (const emulator::Report& report : result.reports) FAIL_CHECK(report.text);
    CHECK(problem.wrong_elements() == 0);
    CHECK(problem.guard_writes() == 0);

    const uint64_t k_steps = static_cast<uint64_t>(Cfg::blocks) * Cfg::consumer_warps *
                             Cfg::block_k_iters * Cfg::warp_k_iters;
    CHECK(result.counters.mma == k_steps * Cfg::acc_per_warp_m * Cfg::acc_per_warp_n);
    CHECK(result.counters.ldmatrix == k_steps * (Cfg::acc_per_warp_m + Cfg::acc_per_warp_n / 2));
    const uint64_t tiles = static_cast<uint64_t>(Cfg::blocks) * Cfg::block_k_iters;
    CHECK(result.counters.tma_bytes == tiles * (Cfg::As_bytes + Cfg::Bs_bytes));
  }
}

// The fields of `Base` with a problem, tiles and warps by their numbers.
template <class Base, int M_, int N_, int K_, int BM_, int BN_, int BK_, int warps_m, int warps_n>
struct Sized : Base {
  static constexpr int M = M_;
  static constexpr int N = N_;
  static constexpr int K = K_;
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int BK = BK_;
  static constexpr int warps_per_block_m = warps_m;
  static constexpr int warps_per_block_n = warps_n;
};

// A config for the tests; what is not given is small and plain.
template <int M, int N, int K, int BM, int BN, int BK, int warps_m, int warps_n>
using TestFields = Sized<FieldDefaults, M, N, K, BM, BN, BK, warps_m, warps_n>;

// The same with every field that a stage may have, so that its config.h may say what it wants, and
// with what of the stage is no field, a producer warp say.
template <class Stage, int M_, int N_, int K_, int BM_, int BN_, int BK_, int bk_stages_ = 2>
struct AllFields : Sized<Stage, M_, N_, K_, BM_, BN_, BK_, 1, 1> {
  static constexpr int bk_stages = bk_stages_;
  static constexpr int wk_stages = BK_ >= 32 ? 2 : 1;
  static constexpr int swizzle = BK_ == 64 ? 128 : BK_ == 32 ? 64 : 0;
  static constexpr int group_m = 1;
  static constexpr int group_n = 1;
  static constexpr int min_blocks_per_sm = 1;
};
