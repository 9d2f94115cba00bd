// Verification: inputs, reference, tolerance, and that a wrong result cannot pass.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "../../host/device/compare.h"
#include "../../host/support/refusal.h"
#include "../../host/verify/element_location.h"
#include "../../host/verify/verify.h"
#include "../support/right_kernel.h"
#include "../support/text.h"

namespace {

// ---- Inputs

TEST_CASE("integer inputs sum exactly: K products stay below 2^24") {
  for (const int64_t K : {8, 64, 8192, 65536, 1 << 20, (1 << 24) - 1}) {
    const int64_t magnitude = integer_magnitude(K);
    CHECK(magnitude >= 1);
    CHECK(K * magnitude * magnitude < (1 << 24));
  }
  CHECK(integer_magnitude(1 << 24) == 0);
  CHECK_THROWS_AS(input_rule(Inputs::integers, 1, 1 << 24), Refusal);
}

TEST_CASE("integer inputs are whole numbers of both signs, and never 0") {
  const InputRule rule = input_rule(Inputs::integers, 1, 64);
  std::set<float> seen;
  for (int i = 0; i < 10000; i++) seen.insert(input_value(rule, 'A', i));
  CHECK(seen.size() == 32);
  CHECK(*seen.begin() == -16);
  CHECK(*seen.rbegin() == 16);
  CHECK(seen.count(0) == 0);
}

TEST_CASE("random inputs have the mean and the variance of their distribution") {
  for (const Inputs kind : {Inputs::uniform, Inputs::normal}) {
    const InputRule rule = input_rule(kind, 3, 64);
    double sum = 0, squares = 0;
    constexpr int count = 100000;
    for (int i = 0; i < count; i++) {
      const double value = input_value(rule, 'B', i);
      if (kind == Inputs::uniform) CHECK_UNARY(std::fabs(value) <= 1);
      sum += value;
      squares += value * value;
    }
    CHECK(std::fabs(sum / count) < 0.02);
    CHECK(std::fabs(squares / count - (kind == Inputs::uniform ? 1 / 3.0 : 1)) < 0.02);
  }
}

TEST_CASE("an input depends on seed, operand and index") {
  const InputRule rule = input_rule(Inputs::uniform, 1, 64);
  const InputRule other_seed = input_rule(Inputs::uniform, 2, 64);
  int equal = 0;
  for (int i = 0; i < 1000; i++) {
    const float value = input_value(rule, 'A', i);
    equal += value == input_value(rule, 'B', i);
    equal += value == input_value(rule, 'A', i + 1);
    equal += value == input_value(other_seed, 'A', i);
    CHECK_UNARY(value == input_value(rule, 'A', i));
  }
  CHECK(equal < 5);
}

// ---- A right result passes, a wrong one does not

TEST_CASE("a right result passes, whatever the inputs") {
  for (const Inputs inputs : all_inputs) {
    const Verification result = verify_with([](Matrices&) {}, with_inputs(inputs));
    CHECK(result.passed);
    CHECK(result.fault == "");
    CHECK(result.max_rel_error == 0);
  }
}

TEST_CASE("one wrong element fails, and is named with block, warp, lane and register") {
  for (const Inputs inputs : all_inputs) {
    // Row 75, column 150: tile (1, 2), and in it row 11 and column 22.
    const Verification result =
        verify_with([](Matrices& m) { m.C()[75 * 180 + 150] += 1; }, with_inputs(inputs));
    CHECK(!result.passed);
    CHECK(result.wrong_launches == 1);
    CHECK(contains(result.fault, "C[75, 150]"));
    CHECK(contains(result.fault, "block 5 (tile 1, 2), warp 0, lane 15, register 2"));
    CHECK(contains(result.fault, "1 of 21,600 elements"));
  }
}

TEST_CASE("NaN and infinity fail") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const Inputs inputs : all_inputs) {
    for (const float bad : {nan, infinity, -infinity}) {
      CHECK(!verify_with([&](Matrices& m) { m.C()[7] = bad; }, with_inputs(inputs)).passed);
    }
  }
}

TEST_CASE("an element that is never written fails, and is called so") {
  const auto unwrite = [](Matrices& m) { std::memset(m.C() + 21599, 0xff, sizeof(float)); };
  const Verification result = verify_with(unwrite);
  CHECK(!result.passed);
  CHECK(contains(result.fault, "C[119, 179]: got nothing (never written)"));
}

TEST_CASE("a transposed tile fails") {
  const auto transpose = [](Matrices& m) {
    for (int row = 0; row < 64; row++) {
      for (int col = 0; col < row; col++) {
        std::swap(m.C()[row * 180 + col], m.C()[col * 180 + row]);
      }
    }
  };
  for (const Inputs inputs : all_inputs) CHECK(!verify_with(transpose, with_inputs(inputs)).passed);
}

TEST_CASE("a write outside C fails, on either side") {
  const Verification before = verify_with([](Matrices& m) { m.C()[-1] = 0; });
  CHECK(contains(before.fault, "wrote outside C: 4 bytes before its first element"));
  const Verification after = verify_with([](Matrices& m) { m.C()[21600 + 180] = 0; });
  CHECK(contains(after.fault, "wrote outside C: 720 bytes after its last element"));
}

TEST_CASE("a write into A or B fails") {
  const auto spoil = [](Matrices& m) { const_cast<bf16*>(m.B())[5].bits ^= 1; };
  CHECK(contains(verify_with(spoil).fault, "changed its inputs: 0 elements of A and 1 of B"));
}

// ---- Several launches

TEST_CASE("of many launches, each that differs by a bit is counted") {
  for (const Inputs inputs : all_inputs) {
    Options options = with_inputs(inputs);
    options.launches = 10;
    int launch = 0;
    const auto flip_sometimes = [&](Matrices& m) {
      uint32_t bits;
      std::memcpy(&bits, m.C() + 100, sizeof bits);
      bits ^= launch++ % 4 == 3;  // launches 3 and 7, by one unit in the last place
      std::memcpy(m.C() + 100, &bits, sizeof bits);
    };
    const Verification result = verify_with(flip_sometimes, options);
    CHECK(!result.passed);
    CHECK(result.launches == 10);
    CHECK(result.wrong_launches == 2);
    CHECK(contains(result.fault, "C[0, 100]"));
  }
}

TEST_CASE("a wrong first launch does not make the right ones wrong") {
  Options options;
  options.launches = 5;
  int launch = 0;
  const auto fail_first = [&](Matrices& m) {
    if (launch++ == 0) m.C()[0] += 1;
  };
  CHECK(verify_with(fail_first, options).wrong_launches == 1);
}

TEST_CASE("random schedules stop at the first seed that fails, and name it") {
  const ConfigDescription config = small_config();
  Matrices matrices(config);
  Device device = {};
  device.backend = Backend::emulator;
  Options options;
  options.seed = 40;
  options.schedules = 9;
  const auto launch = [&] {
    multiply(config, matrices);
    if (device.schedule_seed == 43) device.last_launch.reports = {"Too early\n  It was.\n  why"};
  };
  const Verification result = verify(options, config, device, matrices, launch);
  CHECK(!result.passed);
  CHECK(result.failing_seed == 43);
  CHECK(result.launches == 4);
  CHECK(result.fault == "Too early: It was. C is right nevertheless, by luck.");
}

// ---- The tolerance

// C = A x B^T with the columns of A and B from `dropped` to K - 1 left out.
std::vector<float> product_without_tail(
    const std::vector<bf16>& A,
    const std::vector<bf16>& B,
    int64_t M,
    int64_t N,
    int64_t K,
    int64_t dropped) {
  std::vector<float> C(M * N);
  for (int64_t i = 0; i < M * N; i++) {
    double sum = 0;
    for (int64_t k = 0; k < dropped; k++) {
      sum += double{to_float(A[i / N * K + k])} * to_float(B[i % N * K + k]);
    }
    C[i] = static_cast<float>(sum);
  }
  return C;
}

// A [M, K], B [N, K] and the right C, in plain memory.
struct PlainProblem {
  PlainProblem(int64_t M_, int64_t N_, int64_t K_, Inputs inputs, bool positive = false)
      : M(M_), N(N_), K(K_), A(M * K), B(N * K), expected(M * N), a_norms(M), b_norms(N) {
    const InputRule rule = input_rule(inputs, 11, K);
    const auto value = [&](char operand, int64_t i) {
      const float x = input_value(rule, operand, i);
      return to_bf16(positive ? std::fabs(x) : x);
    };
    for (int64_t i = 0; i < M * K; i++) A[i] = value('A', i);
    for (int64_t i = 0; i < N * K; i++) B[i] = value('B', i);
    backend::compute_reference(product(), reference());
  }
  Product product() const { return {A.data(), B.data(), M, N, K}; }
  backend::Reference reference() { return {expected.data(), a_norms.data(), b_norms.data()}; }
  backend::Comparison compare(const std::vector<float>& C, bool exact) {
    return backend::compare(C.data(), product(), reference(), exact ? 0 : tolerance_for(K), exact);
  }

  int64_t M, N, K;
  std::vector<bf16> A, B;
  std::vector<float> expected, a_norms, b_norms;
};

TEST_CASE("the reference is the product, to the last bit of integers") {
  PlainProblem problem(67, 130, 40, Inputs::integers);
  const auto C = product_without_tail(problem.A, problem.B, 67, 130, 40, 40);
  CHECK(problem.compare(C, true).wrong == 0);
  CHECK(problem.compare(C, true).max_rel_error == 0);
}

TEST_CASE("a k-tile that is left out fails at every K") {
  for (const int64_t K : {16, 64, 512, 4096, 8192}) {
    for (const Inputs inputs : all_inputs) {
      PlainProblem problem(16, 8, K, inputs);
      const auto C = product_without_tail(problem.A, problem.B, 16, 8, K, K - 16);
      const auto comparison = problem.compare(C, inputs == Inputs::integers);
      CHECK(comparison.wrong > 16 * 8 / 2);
    }
  }
}

// As a tensor core may do it: 8 products at a time, exact, then cut to fp32 towards zero.
std::vector<float> cut_product(const PlainProblem& problem) {
  std::vector<float> C(problem.M * problem.N);
  for (size_t i = 0; i < C.size(); i++) {
    const bf16* a = problem.A.data() + i / problem.N * problem.K;
    const bf16* b = problem.B.data() + i % problem.N * problem.K;
    float sum = 0;
    for (int64_t k = 0; k < problem.K; k += 8) {
      double step = sum;
      for (int j = 0; j < 8; j++) step += double{to_float(a[k + j])} * to_float(b[k + j]);
      sum = static_cast<float>(step);
      if (std::fabs(sum) > std::fabs(step)) sum = std::nextafter(sum, 0.0f);
    }
    C[i] = sum;
  }
  return C;
}

// Product by product in fp32.
std::vector<float> plain_product(const PlainProblem& problem) {
  std::vector<float> C(problem.M * problem.N);
  for (size_t i = 0; i < C.size(); i++) {
    const bf16* a = problem.A.data() + i / problem.N * problem.K;
    const bf16* b = problem.B.data() + i % problem.N * problem.K;
    for (int64_t k = 0; k < problem.K; k++) C[i] += to_float(a[k]) * to_float(b[k]);
  }
  return C;
}

TEST_CASE("what rounding costs stays within the tolerance, also where all inputs are positive") {
  for (const int64_t K : {8, 64, 1024, 65536}) {
    for (const bool positive : {false, true}) {
      PlainProblem problem(8, 8, K, Inputs::uniform, positive);
      CHECK(problem.compare(cut_product(problem), false).wrong == 0);
      CHECK(problem.compare(plain_product(problem), false).wrong == 0);
    }
  }
}

TEST_CASE("the tolerance grows with K, and NaN does not slip through it") {
  CHECK(tolerance_for(8192) > tolerance_for(64));
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(!check_element(nan, 1, 1, 1e9, false).right);
  CHECK(!check_element(1, nan, 1, 1e9, false).right);
  CHECK(!check_element(infinity, -infinity, 1, 1e9, false).right);
  CHECK(check_element(nan, nan, 1, 0, false).right);
  CHECK(check_element(infinity, infinity, 1, 0, false).right);
  CHECK(check_element(1, 1, nan, 0, true).right);
  CHECK(!check_element(1, 2, nan, 1e9, false).right);
}

// ---- Where an element lives

TEST_CASE("an accumulator's registers lie as the PTX ISA draws them") {
  ConfigDescription config = small_config();
  for (int lane = 0; lane < 32; lane++) {
    for (int reg = 0; reg < 4; reg++) {
      const int row = lane / 4 + reg / 2 * 8;
      const int col = lane % 4 * 2 + reg % 2;
      const ElementLocation where = locate_element(config, row, col);
      CHECK(where.lane == lane);
      CHECK(where.reg == reg);
      CHECK(where.warp == 0);
      CHECK(where.block == 0);
    }
  }
}

TEST_CASE("warps stand row by row in a tile, accumulators in a warp") {
  const ConfigDescription config = small_config();
  CHECK(locate_element(config, 31, 31).warp == 0);
  CHECK(locate_element(config, 31, 32).warp == 1);
  CHECK(locate_element(config, 32, 31).warp == 2);
  CHECK(locate_element(config, 32, 32).warp == 3);
  CHECK(locate_element(config, 16, 24).acc_m == 1);
  CHECK(locate_element(config, 16, 24).acc_n == 3);
  CHECK(locate_element(config, 64, 64).block == 4);
}

TEST_CASE("samples cover the corners and every tile, each once") {
  const ConfigDescription config = small_config();
  const std::vector<int64_t> indices = sample_indices(config, 5);
  const std::set<int64_t> seen(indices.begin(), indices.end());
  CHECK(seen.size() == indices.size());
  for (const int64_t corner : {0, 179, 119 * 180, 119 * 180 + 179}) CHECK(seen.count(corner) == 1);
  std::set<std::pair<int64_t, int64_t>> tiles;
  for (const int64_t index : indices) {
    CHECK_UNARY(index >= 0 && index < config.M * config.N);
    tiles.insert({index / 180 / 64, index % 180 / 64});
  }
  CHECK(tiles.size() == 6);
}

TEST_CASE("a sampled element computed anew equals the reference") {
  const ConfigDescription config = small_config();
  PlainProblem problem(config.M, config.N, config.K, Inputs::integers);
  const InputRule rule = input_rule(Inputs::integers, 11, config.K);
  for (const int64_t index : sample_indices(config, 5)) {
    CHECK_UNARY(exact_element(config, rule, index).value == problem.expected[index]);
  }
}

}  // namespace
