// A row of `make compare`: what the emulator counts in one launch of a stage.
//
//   counters LINES     LINES is how many lines the stage changed, as text
//
// make includes the stage's config.h and kernel.cuh before this file. The schedule is `lazy`: bytes
// stay in flight for as long as anything else can run.
#include <cstdio>
#include <vector>

#include "../../emulator/emulator.h"

namespace {

using Cfg = GemmConfig<Fields>;

CUtensorMap map_of(const std::vector<bf16>& operand, uint64_t rows, uint32_t box_rows, char name) {
  CUtensorMap map = {};
  map.base = operand.data();
  map.cols = Cfg::K;
  map.rows = rows;
  map.row_bytes = Cfg::K * sizeof(bf16);
  map.box_cols = Cfg::BK;
  map.box_rows = box_rows;
  map.swizzle = Cfg::swizzle;
  map.operand = name;
  return map;
}

emulator::LaunchResult launch() {
  const std::vector<bf16> A(size_t{Cfg::M} * Cfg::K);
  const std::vector<bf16> B(size_t{Cfg::N} * Cfg::K);
  std::vector<float> C(size_t{Cfg::M} * Cfg::N);
  const CUtensorMap a_map = map_of(A, Cfg::M, Cfg::BM, 'A');
  const CUtensorMap b_map = map_of(B, Cfg::N, Cfg::BN, 'B');
  emulator::LaunchOptions options;
  options.schedule = emulator::Schedule::lazy;
  return emulator::launch(
      static_cast<unsigned>(Cfg::blocks), Cfg::threads, sizeof(SharedStorage<Cfg>), options,
      [&] { matmul_kernel<Cfg>(a_map, b_map, C.data()); });
}

void print_row(const emulator::Counters& counters, const char* lines) {
  const auto per = [](uint64_t count, uint64_t of) {
    return static_cast<double>(count) / static_cast<double>(of);
  };
  const uint64_t k_tiles = static_cast<uint64_t>(Cfg::blocks) * Cfg::block_k_iters;
  std::printf(
      "%-20s %12.1f %12.0f %12.2f %12.3f %12.2f %12.2f %12s\n", STAGE_NAME,
      per(counters.bank_conflicts, counters.ldmatrix),
      per(counters.mma_bytes_in_flight, counters.mma), per(counters.mma_steps_ahead, counters.mma),
      per(counters.cta_barriers, k_tiles), per(counters.mbarrier_arrives, k_tiles),
      per(counters.mbarrier_waits, k_tiles), lines);
}

}  // namespace

int main(int argc, char** argv) {
  const emulator::LaunchResult result = launch();
  for (const emulator::Report& report : result.reports) {
    std::fprintf(stderr, "%s: %s\n", STAGE_NAME, report.text.c_str());
  }
  print_row(result.counters, argc > 1 ? argv[1] : "");
  return result.reports.empty() ? 0 : 1;
}
