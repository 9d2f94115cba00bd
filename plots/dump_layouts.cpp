// Prints the tables behind the figures as CSV, from the headers that the kernels compile: a figure
// cannot show a layout, an order or a schedule that the course does not have.
//
//   dump_layouts fragments    element of each lane, register and half of A, B and C
//   dump_layouts ldmatrix     row that each lane names to ldmatrix.x4
//   dump_layouts banks        banks of the 16-byte chunks of eight rows, by row width and swizzle
//   dump_layouts blocks       tile of each block on a grid of 64x64, row by row and swizzled
//   dump_layouts schedule     unfused and fused pipeline on the odd instance
//
// Host only; the plots build and call it themselves (style.py). By hand:
//   g++ -std=c++17 -o build/dump_layouts plots/dump_layouts.cpp && build/dump_layouts banks
#include <cstdio>
#include <cstring>

#include "../03_fused_pipeline/schedule.h"
#include "../common/block_swizzle.h"
#include "../common/config.h"
#include "../common/gemm_maker.cuh"
#include "../common/smem_swizzle.h"

// GemmMaker asks lane 0 which warp this is; here all lanes are of warp 0, and no emulator runs.
int shfl_sync_idx(int value, int, CallSite) { return value; }

namespace {

// One mma tile of A, two of B: what one ldmatrix.x4 of each loads.
struct OneTile : FieldDefaults {
  static constexpr int M = 16, N = 16, K = 16;
  static constexpr int BM = 16, BN = 16, BK = 16;
  static constexpr int warps_per_block_m = 1, warps_per_block_n = 1;
};
using TileCfg = GemmConfig<OneTile>;

struct Element {
  int row, col;
};

// Start of the row of eight elements that `lane` names, from the addresses that GemmMaker computes.
Element named_row(char operand, int lane) {
  static const CUtensorMap map = {};
  const GemmMaker<TileCfg> gemm(map, map, lane);
  const int elems = static_cast<int>((operand == 'A' ? gemm.a_s2r_off : gemm.b_s2r_off) / 2);
  return {elems / TileCfg::BK, elems % TileCfg::BK};
}

// What ldmatrix delivers: register r of lane i holds elements 2 * (i % 4) and + 1 of the row that
// lane 8r + i / 4 named.
Element delivered(char operand, int lane, int reg, int half) {
  const Element start = named_row(operand, 8 * reg + lane / 4);
  return {start.row, start.col + 2 * (lane % 4) + half};
}

// Rows and columns are those of the operand as mma takes it: A [m, k], B [k, n], C [m, n].
void dump_fragments() {
  std::printf("operand,lane,reg,half,row,col\n");
  static const CUtensorMap map = {};
  for (int lane = 0; lane < 32; lane++) {
    for (int reg = 0; reg < 4; reg++) {
      for (int half = 0; half < 2; half++) {
        const Element a = delivered('A', lane, reg, half);
        const Element b = delivered('B', lane, reg, half);
        std::printf("A,%d,%d,%d,%d,%d\n", lane, reg, half, a.row, a.col);
        std::printf("B,%d,%d,%d,%d,%d\n", lane, reg, half, b.col, b.row);
      }
    }
    const GemmMaker<TileCfg> gemm(map, map, lane);
    for (int reg = 0; reg < 4; reg++) {  // as store_C writes them
      const int row = gemm.c_row_start + reg / 2 * 8;
      const int col = gemm.c_col_start + reg % 2;
      std::printf("C,%d,%d,0,%d,%d\n", lane, reg, row, col);
    }
  }
}

// Rows and columns are those of shared memory: A [m, k], B [n, k].
void dump_ldmatrix() {
  std::printf("operand,lane,row,col\n");
  const char operands[] = {'A', 'B'};
  for (const char operand : operands) {
    for (int lane = 0; lane < 32; lane++) {
      const Element start = named_row(operand, lane);
      std::printf("%c,%d,%d,%d\n", operand, lane, start.row, start.col);
    }
  }
}

template <int swizzle>
void dump_banks_of(int row_bytes) {
  for (int row = 0; row < 8; row++) {
    for (int chunk = 0; chunk < row_bytes / 16; chunk++) {
      const uint32_t addr = swizzle_offset<swizzle>(row * row_bytes + chunk * 16);
      std::printf("%d,%d,%d,%d,%u,%u\n", row_bytes, swizzle, row, chunk, addr, addr / 16 % 8);
    }
  }
}

// A group is four banks, that is 16 bytes; there are eight.
void dump_banks() {
  std::printf("row_bytes,swizzle,row,chunk,addr,group\n");
  dump_banks_of<0>(32);
  dump_banks_of<0>(64);
  dump_banks_of<0>(128);
  dump_banks_of<32>(32);
  dump_banks_of<64>(64);
  dump_banks_of<128>(128);
}

// A grid of 64x64 tiles, as 8192x8192 in tiles of 128x128.
template <int group>
struct Grid {
  static constexpr int GM = 64, GN = 64, group_m = group, group_n = group;
};

void dump_blocks() {
  std::printf("order,block,tile_m,tile_n\n");
  for (int block = 0; block < Grid<1>::GM * Grid<1>::GN; block++) {
    const TileCoord row_major = row_major_tile<Grid<1>>(block);
    const TileCoord group_8 = block_swizzle<Grid<8>>(block);
    const TileCoord group_16 = block_swizzle<Grid<16>>(block);
    std::printf("row_major,%d,%d,%d\n", block, row_major.m, row_major.n);
    std::printf("group_8x8,%d,%d,%d\n", block, group_8.m, group_8.n);
    std::printf("group_16x16,%d,%d,%d\n", block, group_16.m, group_16.n);
  }
}

// The odd instance: nothing divides evenly, so that no mistake in an index cancels out.
constexpr int block_k_iters = 10, bk_stages = 3, warp_k_iters = 7, wk_stages = 4;
using Schedule = FusedSchedule<warp_k_iters, wk_stages>;

// One event. `slot` counts k-steps of the tensor cores, not time; `source` is the tile's buffer,
// `stage` the register stage. `wrapped_stage` is the register stage that a load would go to if its
// k-step were wrapped to the tile before the lookahead is counted (docs/fused_pipeline.md).
void print_event(
    const char* pipeline,
    int slot,
    const char* event,
    int tile,
    int k,
    int stage,
    int wrapped_stage) {
  std::printf(
      "%s,%d,%s,%d,%d,%d,%d,%d\n", pipeline, slot, event, tile, k, tile % bk_stages, stage,
      wrapped_stage);
}

void print_tma(const char* pipeline, int slot, int tile) {
  if (tile < block_k_iters) print_event(pipeline, slot, "tma", tile, 0, 0, 0);
}

// Each tile for itself: the register pipeline fills and runs dry once per tile, and a buffer is
// refilled when the multiplication of its tile is over.
void dump_unfused() {
  const char* name = "unfused";
  for (int tile = 0; tile < bk_stages; tile++) print_tma(name, 0, tile);
  int slot = 0;
  for (int tile = 0; tile < block_k_iters; tile++) {
    for (int step = -Schedule::lookahead; step < warp_k_iters; step++, slot++) {
      const int load = step + Schedule::lookahead;
      if (load < warp_k_iters) {
        print_event(name, slot, "ldmatrix", tile, load, load % wk_stages, load % wk_stages);
      }
      if (step >= 0) print_event(name, slot, "mma", tile, step, step % wk_stages, 0);
    }
    print_tma(name, slot, tile + bk_stages);
  }
}

// As 03_fused_pipeline/kernel.cuh runs it.
void dump_fused() {
  const char* name = "fused";
  for (int tile = 0; tile < bk_stages; tile++) print_tma(name, 0, tile);
  int slot = 0;
  for (; slot < Schedule::lookahead; slot++) {
    print_event(name, slot, "ldmatrix", 0, slot, slot, slot);
  }
  for (int tile = 0; tile < block_k_iters; tile++) {
    const bool is_last = tile == block_k_iters - 1;
    for (int wk_idx = 0; wk_idx < warp_k_iters; wk_idx++, slot++) {
      const KStep step = Schedule::step(tile % Schedule::period, wk_idx);
      if (!is_last && wk_idx == Schedule::crossing) print_tma(name, slot, tile + bk_stages);
      if (!is_last || !step.load_crosses) {
        const int wrapped = (tile * warp_k_iters + step.load_k) % wk_stages;
        const int source = tile + (step.load_crosses ? 1 : 0);
        print_event(name, slot, "ldmatrix", source, step.load_k, step.load_stage, wrapped);
      }
      print_event(name, slot, "mma", tile, wk_idx, step.compute_stage, 0);
    }
  }
}

void dump_schedule() {
  std::printf("pipeline,slot,event,tile,k,buffer,stage,wrapped_stage\n");
  dump_unfused();
  dump_fused();
}

struct Table {
  const char* name;
  void (*dump)();
};

constexpr Table tables[] = {
    {"fragments", dump_fragments}, {"ldmatrix", dump_ldmatrix}, {"banks", dump_banks},
    {"blocks", dump_blocks},       {"schedule", dump_schedule},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Table& table : tables) {
    if (argc == 2 && std::strcmp(argv[1], table.name) == 0) {
      table.dump();
      return 0;
    }
  }
  std::fprintf(stderr, "usage: dump_layouts fragments|ldmatrix|banks|blocks|schedule\n");
  return 2;
}
