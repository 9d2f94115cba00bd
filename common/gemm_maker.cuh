// The moves that all four stages are made of: global to shared memory (g2s, by TMA), shared memory
// to registers (s2r, by ldmatrix), multiply, and registers to global memory.
//
//   C[M, N] fp32 row-major  =  A[M, K] bf16 row-major  x  B, stored as [N, K] bf16 row-major
//
// A block owns a [BM, BN] tile of C. Its warps form a grid of warps_per_block_m rows and
// warps_per_block_n columns; each owns [WM, WN], or acc_per_warp_m x acc_per_warp_n accumulators of
// 16x8.
#pragma once

#include <cstdint>

#include "config_checks.h"
#include "ptx/ptx.cuh"
#include "smem_swizzle.h"

template <class Cfg>
struct GemmMaker {
  static_assert(ConfigIsLegal<Cfg>::value, "the rules between fields are in config_checks.h");

  const CUtensorMap* tma_a;
  const CUtensorMap* tma_b;
  int warp_id;  // known to be one number for the whole warp
  int lane_id;
  uint32_t a_s2r_off;  // bytes from As to this lane's ldmatrix row, k = 0, swizzled
  uint32_t b_s2r_off;  // the same for Bs
  int c_row_start;     // this lane's first element of C, from the block's first
  int c_col_start;

  // Called by every thread of the block; `tid` is threadIdx.x.
  __device__ __forceinline__ GemmMaker(const CUtensorMap& a_map, const CUtensorMap& b_map, int tid)
      : tma_a(&a_map), tma_b(&b_map), warp_id(shfl_sync_idx(tid / 32, 0)), lane_id(tid % 32) {
    const int warp_start_m = warp_id / Cfg::warps_per_block_n * Cfg::WM;
    const int warp_start_n = warp_id % Cfg::warps_per_block_n * Cfg::WN;

    // ldmatrix.x4 of A: lanes 0-15 name rows 0-15 of columns 0-7, lanes 16-31 of columns 8-15.
    const int a_row = warp_start_m + lane_id % 16;
    const int a_col = lane_id / 16 * 8;
    a_s2r_off = swizzle_offset<Cfg::swizzle>((a_row * Cfg::BK + a_col) * sizeof(bf16));

    // ldmatrix.x4 of B: two fragments along n, so lanes 8-15 go right and lanes 16-31 go down.
    const int b_row = warp_start_n + lane_id % 8 + lane_id / 16 * 8;
    const int b_col = lane_id / 8 % 2 * 8;
    b_s2r_off = swizzle_offset<Cfg::swizzle>((b_row * Cfg::BK + b_col) * sizeof(bf16));

    c_row_start = warp_start_m + lane_id / 4;
    c_col_start = warp_start_n + lane_id % 4 * 2;
  }

  // Starts the copy of tile (block_start_m, bk_idx) of A to As. An elected thread, after expect_tx.
  __device__ __forceinline__ void load_A_g2s(
      int bk_idx,
      int block_start_m,
      uint32_t As_addr,
      uint32_t mbar_addr,
      CallSite at = {__builtin_FILE(), __builtin_LINE()}) const {
    cp_async_bulk_tensor_2d(As_addr, tma_a, bk_idx * Cfg::BK, block_start_m, mbar_addr, at);
  }

  // Starts the copy of tile (block_start_n, bk_idx) of B to Bs. An elected thread, after expect_tx.
  __device__ __forceinline__ void load_B_g2s(
      int bk_idx,
      int block_start_n,
      uint32_t Bs_addr,
      uint32_t mbar_addr,
      CallSite at = {__builtin_FILE(), __builtin_LINE()}) const {
    cp_async_bulk_tensor_2d(Bs_addr, tma_b, bk_idx * Cfg::BK, block_start_n, mbar_addr, at);
  }

  // Loads the warp's A fragments of k-step `wk_idx`: [WM, 16]. Whole warps.
  __device__ __forceinline__ void load_A_s2r(
      bf16x2 (&ra)[Cfg::acc_per_warp_m][4],
      uint32_t As_addr,
      int wk_idx,
      CallSite at = {__builtin_FILE(), __builtin_LINE()}) const {
    const uint32_t k_bytes = wk_idx * Cfg::mma_k * sizeof(bf16);
    const uint32_t addr = As_addr + swizzled_column<Cfg::swizzle>(a_s2r_off, k_bytes);
#pragma unroll
    for (int m = 0; m < Cfg::acc_per_warp_m; m++) {
      // 16 rows are whole swizzle atoms: a plain offset, which the instruction holds for free.
      const uint32_t m_bytes = m * Cfg::mma_m * Cfg::BK * sizeof(bf16);
      ldmatrix_m8n8_x4_b16(ra[m][0], ra[m][1], ra[m][2], ra[m][3], addr + m_bytes, at);
    }
  }

  // Loads the warp's B fragments of k-step `wk_idx`: [WN, 16], two fragments a load. Whole warps.
  __device__ __forceinline__ void load_B_s2r(
      bf16x2 (&rb)[Cfg::acc_per_warp_n][2],
      uint32_t Bs_addr,
      int wk_idx,
      CallSite at = {__builtin_FILE(), __builtin_LINE()}) const {
    const uint32_t k_bytes = wk_idx * Cfg::mma_k * sizeof(bf16);
    const uint32_t addr = Bs_addr + swizzled_column<Cfg::swizzle>(b_s2r_off, k_bytes);
#pragma unroll
    for (int n = 0; n < Cfg::acc_per_warp_n; n += 2) {
      const uint32_t n_bytes = n * Cfg::mma_n * Cfg::BK * sizeof(bf16);
      ldmatrix_m8n8_x4_b16(rb[n][0], rb[n][1], rb[n + 1][0], rb[n + 1][1], addr + n_bytes, at);
    }
  }

  // rc += A B for one k-step, as an outer product of fragments: acc_per_warp_m * acc_per_warp_n
  // independent mma, which the tensor cores overlap. Whole warps.
  __device__ __forceinline__ void mma(
      float (&rc)[Cfg::acc_per_warp_m][Cfg::acc_per_warp_n][4],
      const bf16x2 (&ra)[Cfg::acc_per_warp_m][4],
      const bf16x2 (&rb)[Cfg::acc_per_warp_n][2],
      CallSite at = {__builtin_FILE(), __builtin_LINE()}) const {
#pragma unroll
    for (int m = 0; m < Cfg::acc_per_warp_m; m++) {
#pragma unroll
      for (int n = 0; n < Cfg::acc_per_warp_n; n++) {
        mma_m16n8k16_row_col_f32_bf16(rc[m][n], ra[m], rb[n], at);
      }
    }
  }

  // Writes the warp's accumulators to C. Registers 0 and 1 are neighbours in a row, 2 and 3 stand
  // eight rows below. Elements past the edge of C are skipped; a shape that the tiles divide has no
  // edge and pays no test. Every consumer thread.
  __device__ __forceinline__ void store_C(
      float* C,
      const float (&rc)[Cfg::acc_per_warp_m][Cfg::acc_per_warp_n][4],
      int block_start_m,
      int block_start_n) const {
    const int64_t row_start = int64_t{block_start_m} + c_row_start;
    const int64_t col_start = int64_t{block_start_n} + c_col_start;
#pragma unroll
    for (int m = 0; m < Cfg::acc_per_warp_m; m++) {
#pragma unroll
      for (int n = 0; n < Cfg::acc_per_warp_n; n++) {
        const int64_t row = row_start + m * Cfg::mma_m;
        const int64_t col = col_start + n * Cfg::mma_n;
        store_pair(C, row, col, rc[m][n][0], rc[m][n][1]);
        store_pair(C, row + 8, col, rc[m][n][2], rc[m][n][3]);
      }
    }
  }

 private:
  // Stores C[row, col] and C[row, col + 1]: as one float2 where N is even, so that every row starts
  // 8-byte aligned, else one by one.
  __device__ __forceinline__ static void store_pair(
      float* C,
      int64_t row,
      int64_t col,
      float first,
      float second) {
    constexpr bool rows_divide = Cfg::M % Cfg::BM == 0;
    constexpr bool cols_divide = Cfg::N % Cfg::BN == 0;
    if (!rows_divide && row >= Cfg::M) return;
    if (!cols_divide && col >= Cfg::N) return;
    float* element = C + row * Cfg::N + col;
    if constexpr (Cfg::N % 2 == 0) {
      store_f32x2(element, first, second);
    } else {
      store_f32(element, first);
      if (col + 1 < Cfg::N) store_f32(element + 1, second);
    }
  }
};
