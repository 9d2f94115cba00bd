// What the four checks.cpp share: run a kernel on the emulator with exact inputs, and demand the
// exact result, untouched surroundings and not one report, under every schedule.
//
// A checks.cpp includes this file first and then its kernel inside an unnamed namespace: the stages
// use the same names and meet in one test program.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "../block_swizzle.h"
#include "../config.h"
#include "../emulator/emulator.h"
#include "../gemm_maker.cuh"
#include "../stage_ring.h"

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

  CUtensorMap a_map() const { return map(A_, Cfg::M, Cfg::BM, 'A'); }
  CUtensorMap b_map() const { return map(B_, Cfg::N, Cfg::BN, 'B'); }

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

  static CUtensorMap map(
      const std::vector<bf16>& operand,
      uint64_t rows,
      uint32_t box_rows,
      char name) {
    CUtensorMap result = {};
    result.base = operand.data();
    result.cols = Cfg::K;
    result.rows = rows;
    result.row_bytes = Cfg::K * sizeof(bf16);
    result.box_cols = Cfg::BK;
    result.box_rows = box_rows;
    result.swizzle = Cfg::swizzle;
    result.operand = name;
    return result;
  }

  std::vector<bf16> A_, B_;
  std::vector<float> C_, expected_;
};

// Runs `kernel` once and returns what the emulator counted and reported.
template <class Cfg, class Kernel>
emulator::LaunchResult run_on_emulator(
    ExactProblem<Cfg>& problem,
    Kernel kernel,
    size_t smem_bytes,
    emulator::LaunchOptions options = {}) {
  const CUtensorMap a_map = problem.a_map();
  const CUtensorMap b_map = problem.b_map();
  float* C = problem.fresh_C();
  return emulator::launch(
      static_cast<unsigned>(Cfg::blocks), Cfg::threads, smem_bytes, options,
      [&] { kernel(a_map, b_map, C); });
}

// The kernel gives the exact product, under bytes that land at once, at the last moment, and in
// `seeds` random orders; it writes nothing but C, breaks no rule, and does no work twice.
template <class Cfg, class Kernel>
void check_stage(Kernel kernel, size_t smem_bytes, uint64_t seeds = 3) {
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
    const emulator::LaunchResult result = run_on_emulator(problem, kernel, smem_bytes, options);
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

// A config for the tests, by its numbers; what is not given is small and plain.
template <int M_, int N_, int K_, int BM_, int BN_, int BK_, int warps_m, int warps_n>
struct TestFields : FieldDefaults {
  static constexpr int M = M_;
  static constexpr int N = N_;
  static constexpr int K = K_;
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int BK = BK_;
  static constexpr int warps_per_block_m = warps_m;
  static constexpr int warps_per_block_n = warps_n;
};

// The fields of a config.h on a problem of the emulator's size.
template <class F>
struct SmallProblem : F {
  static constexpr int M = F::M < 512 ? F::M : 512;
  static constexpr int N = F::N < 512 ? F::N : 512;
  static constexpr int K = F::K < 512 ? F::K : 512;
};

// An edited config.h that breaks a rule fails its own case, and lets the others compile.
template <class Cfg>
constexpr Violation violation_of(size_t smem_bytes) {
  return config_values<Cfg>(static_cast<long long>(smem_bytes))
      .first_violation(limits_of(CONFIG_ARCH));
}

template <class Cfg>
constexpr bool is_legal(size_t smem_bytes = 0) {
  return violation_of<Cfg>(smem_bytes).rule == ConfigRule::none;
}

template <class Cfg>
std::string why_illegal(size_t smem_bytes = 0) {
  return sentence_of(violation_of<Cfg>(smem_bytes)).text;
}
