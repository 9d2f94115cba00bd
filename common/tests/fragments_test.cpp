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
