// Which tile of C does block b compute? The order decides what the blocks that run at the same
// time read in common, and so what the L2 serves.
#pragma once

#include "ptx/ptx.cuh"

struct TileCoord {
  int m;  // row of tiles, 0 .. GM-1
  int n;  // column of tiles, 0 .. GN-1
};

// Row by row: GN blocks share a row of A and sweep all of B.
template <class Cfg>
__host__ __device__ constexpr TileCoord row_major_tile(int block) {
  return {block / Cfg::GN, block % Cfg::GN};
}

// The grid of GM x GN tiles is cut into chunks of group_m x group_n; chunks are visited column by
// column, tiles in a chunk row by row, so that the blocks in flight cover a compact rectangle.
//
// Any grid works: chunks on the lower and right edge are simply smaller. A column of chunks holds
// GM * width tiles whatever its chunks' heights, so plain division still finds the chunk.
// Each block of 0 .. GM*GN-1 gets its own tile.
__host__ __device__ constexpr TileCoord block_swizzle(
    int block,
    int GM,
    int GN,
    int group_m,
    int group_n) {
  const int chunk_rows = group_m < GM ? group_m : GM;
  const int chunk_cols = group_n < GN ? group_n : GN;
  const int column_tiles = GM * chunk_cols;
  const int chunk_n = block / column_tiles;
  const int in_column = block % column_tiles;
  const int cols_left = GN - chunk_n * chunk_cols;
  const int width = cols_left < chunk_cols ? cols_left : chunk_cols;

  const int chunk_m = in_column / (chunk_rows * width);
  const int in_chunk = in_column % (chunk_rows * width);
  return {chunk_m * chunk_rows + in_chunk / width, chunk_n * chunk_cols + in_chunk % width};
}

template <class Cfg>
__host__ __device__ constexpr TileCoord block_swizzle(int block) {
  return block_swizzle(block, Cfg::GM, Cfg::GN, Cfg::group_m, Cfg::group_n);
}
