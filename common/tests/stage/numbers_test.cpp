// Numbers that are hard on a kernel: NaN and infinity, sums that grow, and a C of more than 2^32
// elements.
#include <sys/mman.h>

#include <cmath>

#include "../../host/config/describe.h"
#include "../../host/device/compare.h"
#include "../../host/device/inputs.h"
#include "stage_checks.h"

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct Operands {
  std::vector<bf16> A, B;
};

template <class Cfg, class Value>
Operands make_operands(const Value& value) {
  Operands operands;
  for (int64_t i = 0; i < int64_t{Cfg::M} * Cfg::K; i++) operands.A.push_back(value('A', i));
  for (int64_t i = 0; i < int64_t{Cfg::N} * Cfg::K; i++) operands.B.push_back(value('B', i));
  return operands;
}

bf16 integer_element(char operand, int64_t index, int64_t K) {
  return to_bf16(input_value({Inputs::integers, 5, integer_magnitude(K)}, operand, index));
}

template <class Cfg>
std::vector<float> product(const Operands& operands) {
  std::vector<float> C(size_t{Cfg::M} * Cfg::N, -1);
  const TensorMaps maps =
      make_tensor_maps(operands.A.data(), operands.B.data(), config_values<Cfg>());
  const auto result = emulator::launch(
      static_cast<unsigned>(Cfg::blocks), Cfg::threads, sizeof(SharedStorage<Cfg>), {},
      [&] { matmul_kernel<Cfg>(maps.A, maps.B, C.data()); });
  for (const emulator::Report& report : result.reports) FAIL_CHECK(report.text);
  return C;
}

// Element (row, col) of the product in double precision, and |a| * |b|.
struct Expected {
  double value, scale;
};
template <class Cfg>
Expected expected_element(const Operands& operands, int row, int col) {
  double sum = 0, a_squares = 0, b_squares = 0;
  for (size_t k = 0; k < Cfg::K; k++) {
    const double a = to_float(operands.A[static_cast<size_t>(row) * Cfg::K + k]);
    const double b = to_float(operands.B[static_cast<size_t>(col) * Cfg::K + k]);
    sum += a * b;
    a_squares += a * a;
    b_squares += b * b;
  }
  return {sum, std::sqrt(a_squares * b_squares)};
}

STAGE_CASE("NaN and infinity in A and B come out in their rows and columns, and nowhere else") {
  // Past the edge of C and the end of K, where zeros meet them.
  using Cfg = GemmConfig<AllFields<Fields, 40, 37, 72, 32, 32, 32>>;
  Operands operands = make_operands<Cfg>(
      [](char operand, int64_t i) { return integer_element(operand, i, Cfg::K); });
  const auto A = [&](int row, int k) -> bf16& { return operands.A[row * Cfg::K + k]; };
  const auto B = [&](int col, int k) -> bf16& { return operands.B[col * Cfg::K + k]; };
  A(3, 0) = to_bf16(not_a_number);
  A(39, 71) = to_bf16(infinity);
  A(17, 40) = to_bf16(-infinity);
  B(36, 70) = to_bf16(not_a_number);
  B(9, 33) = to_bf16(infinity);
  B(20, 71) = to_bf16(0);  // infinity times 0

  const std::vector<float> C = product<Cfg>(operands);
  int nans = 0, infinities = 0, wrong = 0;
  for (int row = 0; row < Cfg::M; row++) {
    for (int col = 0; col < Cfg::N; col++) {
      const float got = C[row * Cfg::N + col];
      const float expected = static_cast<float>(expected_element<Cfg>(operands, row, col).value);
      nans += std::isnan(expected);
      infinities += std::isinf(expected);
      wrong += std::isnan(expected) ? !std::isnan(got) : !(got == expected);
    }
  }
  CHECK(wrong == 0);
  CHECK(nans >= Cfg::N + Cfg::M);   // a row, a column, and where infinities meet
  CHECK(infinities >= 2 * Cfg::N);  // two rows and a column, less what is NaN
}

STAGE_CASE("positive inputs at K = 65536 stay inside the tolerance") {
  using Cfg = GemmConfig<AllFields<Fields, 16, 16, 65536, 16, 16, 64>>;
  const Operands operands = make_operands<Cfg>([](char operand, int64_t i) {
    return to_bf16(std::fabs(input_value({Inputs::uniform, 5, 0}, operand, i)));
  });
  const std::vector<float> C = product<Cfg>(operands);
  for (int i = 0; i < 16 * 16; i++) {
    const Expected expected = expected_element<Cfg>(operands, i / 16, i % 16);
    const ElementCheck check = check_element(
        C[i], static_cast<float>(expected.value), expected.scale, tolerance_for(Cfg::K), false);
    CHECK_UNARY(check.right);
  }
}

// ---- A C of more than 2^32 elements

// Memory that exists where it is written to.
class SparseFloats {
 public:
  explicit SparseFloats(size_t count) : bytes_(count * sizeof(float)) {
    memory_ = ::mmap(
        nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
        0);
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~SparseFloats() { ::munmap(memory_, bytes_); }
  SparseFloats(const SparseFloats&) = delete;
  float* get() const { return static_cast<float*>(memory_); }

 private:
  size_t bytes_;
  void* memory_;
};

// One block of the grid alone, on a C that is all 0: its tile is the product, and what lies around
// it is left alone, as is the place where a 32-bit index would wrap around to.
template <class Cfg>
void check_one_block(unsigned block, TilePosition tile, const Operands& operands) {
  CAPTURE(block);
  const SparseFloats C(size_t{Cfg::M} * Cfg::N);
  const TensorMaps maps =
      make_tensor_maps(operands.A.data(), operands.B.data(), config_values<Cfg>());
  const auto result = emulator::launch(1, Cfg::threads, sizeof(SharedStorage<Cfg>), {}, [&] {
    blockIdx.x = block;  // the kernel reads it before anything else can run
    matmul_kernel<Cfg>(maps.A, maps.B, C.get());
  });
  for (const emulator::Report& report : result.reports) FAIL_CHECK(report.text);

  int wrong = 0, stray = 0;
  for (int64_t row = int64_t{tile.m} * Cfg::BM - 1; row <= int64_t{tile.m + 1} * Cfg::BM; row++) {
    for (int64_t col = int64_t{tile.n} * Cfg::BN - 1; col <= int64_t{tile.n + 1} * Cfg::BN; col++) {
      if (row < 0 || col < 0 || row >= Cfg::M || col >= Cfg::N) continue;
      const int64_t index = row * Cfg::N + col;
      const bool inside = row / Cfg::BM == tile.m && col / Cfg::BN == tile.n;
      if (!inside) {
        stray += C.get()[index] != 0;
        continue;
      }
      const Expected expected =
          expected_element<Cfg>(operands, static_cast<int>(row), static_cast<int>(col));
      wrong += !(C.get()[index] == expected.value);
      const int64_t wrapped = index & 0xffffffff;
      if (wrapped != index) stray += C.get()[wrapped] != 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(stray == 0);
}

STAGE_CASE("C may have more than 2^32 elements: the far tiles are found") {
  using Cfg = GemmConfig<AllFields<Fields, 65550, 65549, 8, 64, 64, 16>>;
  static_assert(int64_t{Cfg::M} * Cfg::N > int64_t{1} << 32, "more than 32 bits of index");
  // Positive, so that no element of the product is 0.
  const Operands operands = make_operands<Cfg>([](char operand, int64_t i) {
    return to_bf16(std::fabs(to_float(integer_element(operand, i, Cfg::K))));
  });
  constexpr unsigned last = static_cast<unsigned>(Cfg::blocks) - 1;
  for (const unsigned block : {0u, last / 2, last}) {
    check_one_block<Cfg>(block, tile_position<Cfg>(static_cast<int>(block)), operands);
  }
}

}  // namespace
