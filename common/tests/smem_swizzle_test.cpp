// Where elements of a tile are in shared memory, by the PTX ISA's formulas.
#include "../smem_swizzle.h"

#include <cstring>
#include <set>

#include "support/mini_kernel.h"

TEST_CASE("each swizzle is its own inverse, and a bijection inside its atom") {
  for (const int swizzle : {0, 32, 64, 128}) {
    const uint32_t atom = swizzle_atom_bytes(swizzle);
    std::set<uint32_t> seen;
    for (uint32_t offset = 0; offset < atom; offset++) {
      const uint32_t to = swizzle == 32   ? swizzle_offset<32>(offset)
                          : swizzle == 64 ? swizzle_offset<64>(offset)
                          : swizzle == 0  ? swizzle_offset<0>(offset)
                                          : swizzle_offset<128>(offset);
      CHECK(to < atom);
      CHECK(to % 16 == offset % 16);  // 16-byte chunks stay whole
      seen.insert(to);
    }
    CHECK(seen.size() == atom);
  }
}

TEST_CASE("the swizzles are <1,4,3>, <2,4,3> and <3,4,3>, as TMA writes them") {
  for (const int swizzle : {0, 32, 64, 128}) {
    const uint32_t cols = swizzle == 0 ? 64 : static_cast<uint32_t>(swizzle) / 2;
    const NumberedMatrix matrix(16, cols);
    const CUtensorMap map = matrix.map('A', 16, cols, swizzle);
    std::vector<uint16_t> landed(16 * cols);
    const auto result = run_mini(1, [&] {
      init_barriers(1);
      load_and_wait(map, 0, 0);
      if (threadIdx.x == 0) {
        std::memcpy(landed.data(), shared_storage<MiniStorage>().tile[0], landed.size() * 2);
      }
    });
    CHECK(result.reports.empty());
    const uint32_t bits = swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32 ? 1 : 0;
    for (uint32_t row = 0; row < 16; row++) {
      for (uint32_t col = 0; col < cols; col++) {
        uint32_t addr = (row * cols + col) * 2;
        for (uint32_t b = 0; b < bits; b++) addr ^= (addr >> (7 + b) & 1) << (4 + b);
        CHECK(landed[addr / 2] == NumberedMatrix::bits(row, col));
      }
    }
  }
}

TEST_CASE("a step along k is one XOR on a swizzled offset, or one addition without a swizzle") {
  for (uint32_t row = 0; row < 64; row++) {
    for (uint32_t half = 0; half < 32; half += 16) {
      for (uint32_t k = 0; k < 128; k += 32) {
        const uint32_t at128 = row * 128 + half, at64 = row * 64 + half, at96 = row * 96 + half;
        CHECK(
            swizzled_column<128>(swizzle_offset<128>(at128), k) == swizzle_offset<128>(at128 + k));
        CHECK(swizzled_column<0>(swizzle_offset<0>(at96), k) == at96 + k);
        if (k < 64) {
          CHECK(swizzled_column<64>(swizzle_offset<64>(at64), k) == swizzle_offset<64>(at64 + k));
        }
      }
    }
  }
}

TEST_CASE("the 128-byte swizzle spreads eight rows over all 32 banks; without it they share four") {
  for (const int swizzle : {0, 128}) {
    const NumberedMatrix matrix(32, 64);
    const CUtensorMap map = matrix.map('A', 32, 64, swizzle);
    const auto result = run_mini(1, [&] {
      init_barriers(1);
      load_and_wait(map, 0, 0);
      const uint32_t offset = threadIdx.x * 128;
      bf16x2 r[4];
      ldmatrix_m8n8_x4_b16(
          r[0], r[1], r[2], r[3],
          tile_addr(0) + (swizzle == 0 ? offset : swizzle_offset<128>(offset)));
    });
    CHECK(result.counters.ldmatrix == 1);
    CHECK(result.counters.ldmatrix_wavefronts == (swizzle == 0 ? 32 : 4));
    CHECK(result.counters.bank_conflicts == (swizzle == 0 ? 28 : 0));
  }
}
