// A row of `make compare`: what the emulator counts in one launch of a stage.
//
//   counters LINES     LINES is how many lines the stage changed, as text
//   counters head      the lines above the rows
//
// make includes the stage's config.h and kernel.cuh before this file. The schedule is `lazy`: bytes
// stay in flight for as long as anything else can run.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "../../emulator/emulator.h"
#include "../../host/device/tensor_map.h"

namespace {

using Cfg = GemmConfig<Fields>;

emulator::LaunchResult launch() {
  const std::vector<bf16> A(size_t{Cfg::M} * Cfg::K);
  const std::vector<bf16> B(size_t{Cfg::N} * Cfg::K);
  std::vector<float> C(size_t{Cfg::M} * Cfg::N);
  const TensorMaps maps = make_tensor_maps(A.data(), B.data(), config_values<Cfg>());
  emulator::LaunchOptions options;
  options.schedule = emulator::LandingSchedule::lazy;
  return emulator::launch(
      static_cast<unsigned>(Cfg::blocks), Cfg::threads, sizeof(SharedStorage<Cfg>), options,
      [&] { matmul_kernel<Cfg>(maps.A, maps.B, C.data()); });
}

// The columns of counters.inc, from the left.
std::vector<emulator::CounterRow> columns() {
  std::vector<emulator::CounterRow> all;
  for (const emulator::CounterRow& row : emulator::counter_rows) {
    if (row.column.place > 0) all.push_back(row);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.column.place < b.column.place;
  });
  return all;
}

// Four lines: one word of each heading in each.
void print_head() {
  const char* const left[] = {"", "", "", "stage"};
  const char* const right[] = {"lines of", "kernel.cuh", "changed", ""};
  std::vector<std::istringstream> headings;
  for (const auto& row : columns()) headings.emplace_back(row.column.heading);
  for (int line = 0; line < 4; line++) {
    std::printf("%-20s", left[line]);
    for (std::istringstream& heading : headings) {
      std::string word;
      std::getline(heading, word, '/');
      std::printf(" %12s", word.c_str());
    }
    std::printf(" %12s\n", right[line]);
  }
}

void print_row(const emulator::Counters& counters, const char* lines) {
  const uint64_t k_tiles = static_cast<uint64_t>(Cfg::blocks) * Cfg::block_k_iters;
  std::printf("%-20s", STAGE_NAME);
  for (const auto& row : columns()) {
    const std::string per = row.column.per;
    const uint64_t divisor = per == "k-tile" ? k_tiles : emulator::value_of(counters, per);
    std::printf(
        " %12.*f", row.column.decimals,
        static_cast<double>(counters.*row.value) / static_cast<double>(divisor));
  }
  std::printf(" %12s\n", lines);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "head") == 0) {
    print_head();
    return 0;
  }
  const emulator::LaunchResult result = launch();
  for (const emulator::Report& report : result.reports) {
    std::fprintf(stderr, "%s: %s\n", STAGE_NAME, report.text.c_str());
  }
  print_row(result.counters, argc > 1 ? argv[1] : "");
  return result.reports.empty() ? 0 : 1;
}
