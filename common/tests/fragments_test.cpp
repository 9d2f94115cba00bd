// Where elements are in registers: the fragments of ldmatrix and mma. The right sides are the PTX
// ISA's formulas, written out again and not taken from the code.
#include <array>

#include "support/mini_kernel.h"

namespace {

// ldmatrix of a 16x16 tile whose lane i names row `row_of(i)` from column `col_of(i)`.
template <class Row, class Col>
std::vector<std::array<bf16x2, 4>> ldmatrix_x4_of(Row row_of, Col col_of) {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  std::vector<std::array<bf16x2, 4>> registers(32);
  const auto result = run_mini(1, [&] {
    init_barriers(1);
    load_and_wait(map, 0, 0);
    const int lane = static_cast<int>(threadIdx.x);
    const uint32_t addr =
        tile_addr(0) + static_cast<uint32_t>(row_of(lane) * 32 + col_of(lane) * 2);
    auto& r = registers[threadIdx.x];
    ldmatrix_m8n8_x4_b16(r[0], r[1], r[2], r[3], addr);
  });
  CHECK(result.reports.empty());
  return registers;
}

uint32_t pair_at(int row, int col) {
  return NumberedMatrix::bits(row, col) | uint32_t{NumberedMatrix::bits(row, col + 1)} << 16;
}

}  // namespace

TEST_CASE("ldmatrix.x1, x2 and x4: lane i holds elements 2(i%4), 2(i%4)+1 of row i/4 of each 8x8") {
  const NumberedMatrix matrix(32, 8);
  const CUtensorMap map = matrix.map('A', 32, 8);
  for (const int matrices : {1, 2, 4}) {
    bf16x2 registers[32][4];
    const auto result = run_mini(1, [&] {
      init_barriers(1);
      load_and_wait(map, 0, 0);
      // Lane i names row i of a tile of 16-byte rows; lanes beyond the instruction's are ignored.
      const uint32_t row = threadIdx.x < static_cast<uint32_t>(8 * matrices) ? threadIdx.x : 0;
      const uint32_t addr = tile_addr(0) + row * 16;
      bf16x2(&r)[4] = registers[threadIdx.x];
      if (matrices == 1) ldmatrix_m8n8_x1_b16(r[0], addr);
      if (matrices == 2) ldmatrix_m8n8_x2_b16(r[0], r[1], addr);
      if (matrices == 4) ldmatrix_m8n8_x4_b16(r[0], r[1], r[2], r[3], addr);
    });
    CHECK(result.reports.empty());
    for (int lane = 0; lane < 32; lane++) {
      for (int m = 0; m < matrices; m++) {
        CHECK(registers[lane][m].bits == pair_at(8 * m + lane / 4, lane % 4 * 2));
      }
    }
  }
}

TEST_CASE("load_A_s2r's addresses give the A fragment of mma.m16n8k16") {
  const auto registers =
      ldmatrix_x4_of([](int lane) { return lane % 16; }, [](int lane) { return lane / 16 * 8; });
  for (int lane = 0; lane < 32; lane++) {
    const int group = lane >> 2, in_group = lane % 4;
    for (int i = 0; i < 8; i += 2) {  // a0 .. a7 of the PTX ISA, two a register
      const int row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
      const int col = in_group * 2 + (i >= 4 ? 8 : 0);
      CHECK(registers[lane][i / 2].bits == pair_at(row, col));
    }
  }
}

TEST_CASE("load_B_s2r's addresses give two B fragments of mma.m16n8k16, neighbours along n") {
  const auto registers = ldmatrix_x4_of(
      [](int lane) { return lane % 8 + lane / 16 * 8; }, [](int lane) { return lane / 8 % 2 * 8; });
  for (int lane = 0; lane < 32; lane++) {
    const int group = lane >> 2, in_group = lane % 4;
    for (int fragment = 0; fragment < 2; fragment++) {
      for (int i = 0; i < 4; i += 2) {  // b0 .. b3; B is stored [n, k], so k runs along the row
        const int k = in_group * 2 + (i >= 2 ? 8 : 0);
        const int n = group + 8 * fragment;
        CHECK(registers[lane][2 * fragment + i / 2].bits == pair_at(n, k));
      }
    }
  }
}

TEST_CASE("mma.m16n8k16: c0 c1 are row lane/4, c2 c3 eight below, columns 2(lane%4) and next") {
  // A is the identity, so C is B: element (m, n) of C is B[n][m].
  std::vector<bf16> identity(256), b(128);
  for (size_t i = 0; i < 16; i++) identity[i * 16 + i] = to_bf16(1);
  for (size_t n = 0; n < 8; n++) {
    for (size_t k = 0; k < 16; k++) b[n * 16 + k] = to_bf16(static_cast<float>(n * 16 + k));
  }
  NumberedMatrix a_matrix(16, 16), b_matrix(8, 16);
  a_matrix.elements = identity;
  b_matrix.elements = b;
  const CUtensorMap a_map = a_matrix.map('A', 16, 16), b_map = b_matrix.map('B', 8, 16);

  float acc[32][4] = {};
  const auto result = run_mini(1, [&] {
    init_barriers(2);
    load_and_wait(a_map, 0, 0);
    load_and_wait(b_map, 1, 1);
    const uint32_t lane = threadIdx.x;
    bf16x2 ra[4], rb[2];
    ldmatrix_m8n8_x4_b16(
        ra[0], ra[1], ra[2], ra[3], tile_addr(0) + lane % 16 * 32 + lane / 16 * 16);
    ldmatrix_m8n8_x2_b16(rb[0], rb[1], tile_addr(1) + lane % 8 * 32 + lane / 8 % 2 * 16);
    mma_m16n8k16_row_col_f32_bf16(acc[lane], ra, rb);
  });
  CHECK(result.reports.empty());
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 4; i++) {
      const int row = (lane >> 2) + (i >= 2 ? 8 : 0);
      const int col = lane % 4 * 2 + i % 2;
      CHECK(acc[lane][i] == static_cast<float>(col * 16 + row));
    }
  }
}
