#include "element_location.h"

#include "../support/text.h"

namespace {

int64_t find_block(const ConfigDescription& config, int tile_m, int tile_n) {
  for (int64_t block = 0; block < config.blocks(); block++) {
    const TilePosition tile = config.tile_of_block(static_cast<int>(block));
    if (tile.m == tile_m && tile.n == tile_n) return block;
  }
  return -1;
}

}  // namespace

ElementLocation locate_element(const ConfigDescription& config, int64_t row, int64_t col) {
  const int WM = static_cast<int>(config.WM());
  const int WN = static_cast<int>(config.WN());
  const int in_tile_m = static_cast<int>(row % config.BM);
  const int in_tile_n = static_cast<int>(col % config.BN);
  const int in_acc_m = in_tile_m % 16;
  const int in_acc_n = in_tile_n % 8;

  ElementLocation where;
  where.tile_m = static_cast<int>(row / config.BM);
  where.tile_n = static_cast<int>(col / config.BN);
  where.block = find_block(config, where.tile_m, where.tile_n);
  where.warp = in_tile_m / WM * static_cast<int>(config.warps_per_block_n) + in_tile_n / WN;
  where.acc_m = in_tile_m % WM / 16;
  where.acc_n = in_tile_n % WN / 8;
  where.lane = in_acc_m % 8 * 4 + in_acc_n / 2;
  where.reg = in_acc_m / 8 * 2 + in_acc_n % 2;
  return where;
}

std::string location_text(const ElementLocation& where) {
  const std::string block =
      where.block >= 0 ? format("block %lld", static_cast<long long>(where.block)) : "no block";
  return format(
      "%s (tile %d, %d), warp %d, lane %d, register %d of accumulator (%d, %d)", block.c_str(),
      where.tile_m, where.tile_n, where.warp, where.lane, where.reg, where.acc_m, where.acc_n);
}
