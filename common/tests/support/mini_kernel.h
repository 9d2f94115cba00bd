// Small kernels for tests of the emulator: one block, written as a lambda, over one or two tiles.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../emulator/emulator.h"
#include "../../host/device/tensor_map.h"
#include "../../ptx/ptx.cuh"
#include "../../smem_swizzle.h"

// A [rows, cols] matrix whose element (r, c) is r * 64 + c: exact in bf16 up to row 3, and all rows
// can still be told apart by bits(), which is what the tests compare.
struct NumberedMatrix {
  uint32_t rows, cols;
  std::vector<bf16> elements;

  NumberedMatrix(uint32_t rows_, uint32_t cols_) : rows(rows_), cols(cols_) {
    for (uint32_t r = 0; r < rows; r++) {
      for (uint32_t c = 0; c < cols; c++) elements.push_back({bits(r, c)});
    }
  }

  static uint16_t bits(uint32_t row, uint32_t col) {
    return static_cast<uint16_t>(row * 64 + col + 1);  // a denormal: never NaN, never 0
  }

  CUtensorMap map(char operand, uint32_t box_rows, uint32_t box_cols, int swizzle = 0) const {
    return make_tensor_map(
        operand, elements.data(), Extent{rows, cols}, Extent{box_rows, box_cols}, swizzle);
  }
};

// Shared memory of a mini kernel: room for two tiles, and barriers.
struct MiniStorage {
  alignas(1024) uint8_t tile[2][16384];
  mbarrier barrier[4];
};

inline uint32_t tile_addr(int i) { return shared_addr(shared_storage<MiniStorage>().tile[i]); }
inline uint32_t barrier_addr(int i) {
  return shared_addr(&shared_storage<MiniStorage>().barrier[i]);
}

inline emulator::LaunchResult run_mini(
    unsigned warps,
    const std::function<void()>& body,
    emulator::LaunchOptions options = {}) {
  return emulator::launch(1, 32 * warps, sizeof(MiniStorage), options, body);
}

// One thread initialises `barriers` barriers of `arrivals`, and all threads may use them.
inline void init_barriers(int barriers, uint32_t arrivals = 1) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < barriers; i++) mbarrier_init(barrier_addr(i), arrivals);
    fence_mbarrier_init();
  }
  __syncthreads();
}

// Thread 0 copies a box to tile `tile`, and all threads wait for it at barrier `barrier`.
inline void load_and_wait(
    const CUtensorMap& map,
    int tile,
    int barrier,
    uint32_t parity = 0,
    int x = 0,
    int y = 0) {
  if (threadIdx.x == 0) {
    const uint32_t bytes = map.box_rows * map.box_cols * static_cast<uint32_t>(sizeof(bf16));
    mbarrier_arrive_expect_tx(barrier_addr(barrier), bytes);
    cp_async_bulk_tensor_2d(tile_addr(tile), &map, x, y, barrier_addr(barrier));
  }
  mbarrier_wait_parity(barrier_addr(barrier), parity);
}

// All schedules that a test should hold under.
inline std::vector<emulator::LaunchOptions> all_schedules(uint64_t seeds = 5) {
  std::vector<emulator::LaunchOptions> all = {
      {emulator::LandingSchedule::eager, 0}, {emulator::LandingSchedule::lazy, 0}};
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    all.push_back({emulator::LandingSchedule::random, seed});
  }
  return all;
}

// Is there a report of this kind whose text has `words`?
inline bool reports(
    const emulator::LaunchResult& result,
    emulator::Report::Kind kind,
    const std::string& words) {
  for (const emulator::Report& report : result.reports) {
    if (report.kind == kind && report.text.find(words) != std::string::npos) return true;
  }
  return false;
}
