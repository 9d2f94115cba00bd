// Which tile of C a block takes.
#include "../block_swizzle.h"

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("chunks go column by column, and tiles inside a chunk row by row") {
  // A 4x4 grid in chunks of 2x2: down the left column of chunks first.
  const int expected[16][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1},
                               {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 2}, {3, 3}};
  for (int block = 0; block < 16; block++) {
    const TileCoord tile = block_swizzle(block, 4, 4, 2, 2);
    CHECK(tile.m == expected[block][0]);
    CHECK(tile.n == expected[block][1]);
  }
}

TEST_CASE("block swizzle: each tile exactly once, on every grid up to 20x20, groups up to 9x9") {
  for (int GM = 1; GM <= 20; GM++) {
    for (int GN = 1; GN <= 20; GN++) {
      for (int group = 0; group < 81; group++) {
        std::vector<int> times(static_cast<size_t>(GM * GN), 0);
        bool inside = true;
        for (int block = 0; block < GM * GN; block++) {
          const TileCoord tile = block_swizzle(block, GM, GN, group / 9 + 1, group % 9 + 1);
          inside &= tile.m >= 0 && tile.m < GM && tile.n >= 0 && tile.n < GN;
          if (inside) times[static_cast<size_t>(tile.m * GN + tile.n)]++;
        }
        REQUIRE(inside);
        REQUIRE(times == std::vector<int>(static_cast<size_t>(GM * GN), 1));
      }
    }
  }
}

// Overflow in a constant expression does not compile: this test has passed when it has compiled.
TEST_CASE("the order of blocks holds on the largest grid that is legal") {
  constexpr int side = 46340;  // side * side < 2^31
  constexpr int last = side * side - 1;
  for (const int group : {1, 8, 46340, 2147483647}) {
    const TileCoord tile = block_swizzle(last, side, side, group, group);
    CHECK(tile.m == side - 1);
    CHECK(tile.n == side - 1);
  }
  constexpr TileCoord in_groups = block_swizzle(last, side, side, 8, 8);
  constexpr TileCoord in_one_row = block_swizzle(2147483646, 1, 2147483647, 2147483647, 2147483647);
  constexpr TileCoord in_one_column = block_swizzle(2147483646, 2147483647, 1, 8, 8);
  static_assert(in_groups.m == side - 1, "the last tile");
  static_assert(in_one_row.n == 2147483646, "the last tile");
  static_assert(in_one_column.m == 2147483646, "the last tile");
}
