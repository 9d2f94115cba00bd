// Faults that other projects reported, as far as neither the corpus of the fuzzer nor another test
// holds them already. docs/cases.md lists all, with the tests that hold each.
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>

#include "../host/device/compare.h"
#include "../host/measure/benchmark.h"
#include "../host/run/report.h"
#include "../tools/bench/measurement.h"
#include "support/mini_kernel.h"
#include "support/text.h"

using emulator::Report;

namespace {

// ---- Hazards that are usually right on hardware. A block that copies one tile and reads it.

const NumberedMatrix& tile() {
  static const NumberedMatrix matrix(16, 16);
  return matrix;
}
constexpr uint32_t one_tile_bytes = 16 * 16 * sizeof(bf16);

void read_tile() {
  bf16x2 r[4];
  const uint32_t lane = threadIdx.x % 32;
  ldmatrix_m8n8_x4_b16(r[0], r[1], r[2], r[3], tile_addr(0) + lane % 16 * 32 + lane / 16 * 16);
}

void copy_tile(const CUtensorMap& map, uint32_t announced = one_tile_bytes) {
  mbarrier_arrive_expect_tx(barrier_addr(0), announced);
  cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
}

TEST_CASE("the block that the hazards below are made from has none") {
  const CUtensorMap map = tile().map('A', 16, 16);
  for (const auto& options : all_schedules()) {
    const auto result = run_mini(
        2,
        [&] {
          init_barriers(1);
          for (uint32_t parity : {0u, 1u}) {
            if (threadIdx.x == 0) copy_tile(map);
            mbarrier_wait_parity(barrier_addr(0), parity);
            read_tile();
            fence_proxy_async_shared_cta();
            __syncthreads();
          }
        },
        options);
    for (const Report& report : result.reports) FAIL_CHECK(report.text);
  }
}

TEST_CASE("case 12 (tilelang PR 2182): expect_tx that counts one operand of two is reported") {
  const CUtensorMap a_map = tile().map('A', 16, 16);
  const CUtensorMap b_map = tile().map('B', 16, 16);
  for (const auto& options : all_schedules()) {
    const auto result = run_mini(
        1,
        [&] {
          init_barriers(1);
          if (threadIdx.x == 0) {
            copy_tile(a_map);  // announces one tile, and a second one lands
            cp_async_bulk_tensor_2d(tile_addr(1), &b_map, 0, 0, barrier_addr(0));
          }
          mbarrier_wait_parity(barrier_addr(0), 0);
          read_tile();
        },
        options);
    CHECK(result.count(Report::Kind::other) > 0);
    CHECK(reports(result, Report::Kind::other, "for this phase"));
  }
}

TEST_CASE("case 17 (Fuser 1552): barriers that are used before their init is published") {
  const CUtensorMap map = tile().map('A', 16, 16);
  for (const bool fenced : {false, true}) {
    for (const auto& options : all_schedules()) {
      const auto result = run_mini(
          1,
          [&] {
            if (threadIdx.x == 0) {
              mbarrier_init(barrier_addr(0), 1);
              if (fenced) fence_mbarrier_init();
            }
            if (!fenced) __syncthreads();  // one of the two is missing, in either case
            if (threadIdx.x == 0) copy_tile(map);
            mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      CHECK(result.count(Report::Kind::other) > 0);
    }
  }
}

TEST_CASE("case 18 (FlashKDA 24, sglang PR 39124): a CTA barrier does not order reads before TMA") {
  const CUtensorMap map = tile().map('A', 16, 16);
  for (const auto& options : all_schedules()) {
    const auto result = run_mini(
        2,
        [&] {
          init_barriers(1);
          for (uint32_t parity : {0u, 1u}) {
            if (threadIdx.x == 0) copy_tile(map);
            mbarrier_wait_parity(barrier_addr(0), parity);
            read_tile();
            __syncthreads();
          }
        },
        options);
    CHECK(reports(result, Report::Kind::war, "TMA writes through the async proxy"));
  }
}

TEST_CASE("case 18 (FlashKDA 24, sglang PR 39124): nor does an arrival at an mbarrier") {
  const CUtensorMap map = tile().map('A', 16, 16);
  enum class Fence { none, arriving_lane, every_lane };
  for (const Fence fence : {Fence::none, Fence::arriving_lane, Fence::every_lane}) {
    for (const auto& options : all_schedules()) {
      CAPTURE(static_cast<int>(fence));
      const auto result = run_mini(
          2,
          [&] {
            if (threadIdx.x == 0) {
              mbarrier_init(barrier_addr(0), 1);  // full
              mbarrier_init(barrier_addr(1), 2);  // empty: an arrival per warp
              fence_mbarrier_init();
            }
            __syncthreads();
            for (uint32_t parity : {0u, 1u}) {
              if (threadIdx.x == 0) {
                mbarrier_wait_parity(barrier_addr(1), parity ^ 1);
                copy_tile(map);
              }
              mbarrier_wait_parity(barrier_addr(0), parity);
              read_tile();
              if (fence == Fence::every_lane) fence_proxy_async_shared_cta();
              __syncwarp();
              if (threadIdx.x % 32 == 0) {
                if (fence == Fence::arriving_lane) fence_proxy_async_shared_cta();
                mbarrier_arrive(barrier_addr(1));
              }
            }
          },
          options);
      if (fence == Fence::every_lane) {
        for (const Report& report : result.reports) FAIL_CHECK(report.text);
      } else {
        CHECK(result.count(Report::Kind::war) > 0);
        CHECK(reports(result, Report::Kind::war, "TMA writes through the async proxy"));
      }
    }
  }
}

TEST_CASE("case 19 (flashinfer PR 2996): __syncthreads inside one warp role") {
  for (const auto& options : all_schedules()) {
    const auto result = run_mini(
        2,
        [&] {
          init_barriers(1);
          if (threadIdx.x >= 32) return;  // the other role has nothing to wait for
          __syncthreads();
        },
        options);
    CHECK(result.count(Report::Kind::other) + result.count(Report::Kind::deadlock) > 0);
  }
}

TEST_CASE("case 20 (CUTracer PR 106): a wait that is missing, late, or for the wrong phase") {
  const CUtensorMap map = tile().map('A', 16, 16);
  enum class Wait { missing, late, wrong_phase };
  for (const Wait wait : {Wait::missing, Wait::late, Wait::wrong_phase}) {
    for (const auto& options : all_schedules()) {
      CAPTURE(static_cast<int>(wait));
      const auto result = run_mini(
          1,
          [&] {
            init_barriers(1);
            if (threadIdx.x == 0) copy_tile(map);
            if (wait == Wait::wrong_phase) mbarrier_wait_parity(barrier_addr(0), 1);
            read_tile();
            if (wait != Wait::missing) mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      // Also where the bytes have landed at once: that was luck. A wait for the wrong phase can
      // also be seen for what it is before anything is read.
      const uint64_t lapped = wait == Wait::wrong_phase ? result.count(Report::Kind::other) : 0;
      CHECK(result.count(Report::Kind::raw) + lapped > 0);
    }
  }
}

// ---- The benchmark's words

TEST_CASE(
    "case 23 (TileOPs PR 1895, pytorch PR 180333): the bound grows with K, and with the data") {
  CHECK(tolerance_for(16384) > 100 * tolerance_for(64));
  // Twice the inputs, twice the error that is allowed.
  CHECK(check_element(1.0f, 1.0f + 1e-4f, 2, 1e-4, false).right);
  CHECK(!check_element(1.0f, 1.0f + 1e-4f, 0.5, 1e-4, false).right);
}

Benchmark some_benchmark() {
  Benchmark result = {};
  result.stage.speed = {400, 390, 410};
  result.stage.ms = 2.7;
  result.stage.round_ms = {2.7, 2.7, 2.7, 2.7, 2.7};
  result.stage.runs = 100;
  result.cublas.speed.median = 600;
  result.cublas_bf16out.speed.median = 700;
  result.mma_peak.speed.median = 500;
  return result;
}

Device some_gpu() {
  Device device = {};
  device.backend = Backend::cuda;
  device.l2_bytes = size_t{128} << 20;
  return device;
}

TEST_CASE(
    "case 29 (vllm PR 36592, triton 1252): the L2 is flushed, by more than any has, and said") {
  CHECK(l2_flush_bytes > some_gpu().l2_bytes);  // RTX PRO 6000 Blackwell: 128 MB
  const std::string text = benchmark_text({}, some_gpu(), some_benchmark());
  CHECK(contains(text, "256.0 MiB"));
  CHECK(contains(text, "flushes the L2"));
}

TEST_CASE("case 30 (cutlass 2004): inputs are random unless asked for, and said to be") {
  CHECK(parse_options({}, Backend::cuda).inputs == Inputs::uniform);
  CHECK(contains(benchmark_text({}, some_gpu(), some_benchmark()), "random inputs (uniform)"));
}

TEST_CASE("case 31 (flashinfer PR 2899, helion PR 3572): rounds in turn, clock and power logged") {
  Benchmark throttled = some_benchmark();
  throttled.stage.clock_mhz = 1680;
  throttled.stage.power_w = 699;
  throttled.power_limit_w = 700;
  const std::string text = benchmark_text({}, some_gpu(), throttled);
  CHECK(contains(text, "5 rounds, in turn with its peers"));
  CHECK(contains(text, "1680 MHz"));
  CHECK(contains(text, "699 W of 700 W"));
  CHECK(contains(text, "at its power limit"));
  throttled.stage.power_w = 500;
  CHECK(!contains(benchmark_text({}, some_gpu(), throttled), "at its power limit"));
}

TEST_CASE("case 57: what makes launches wait, or a profiler, is named beside the figures") {
  const std::string quiet = benchmark_text({}, some_gpu(), some_benchmark());
  CHECK(!contains(quiet, "warning"));
  ::setenv("CUDA_LAUNCH_BLOCKING", "0", 1);
  CHECK(benchmark_text({}, some_gpu(), some_benchmark()) == quiet);
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  ::setenv("CUDA_INJECTION64_PATH", "/opt/profiler.so", 1);
  const std::string text = benchmark_text({}, some_gpu(), some_benchmark());
  const std::string bench = size_report({}, {1, 2, 3}, {}) + reproduction_report({}, {});
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  ::unsetenv("CUDA_INJECTION64_PATH");
  const std::string names = "CUDA_LAUNCH_BLOCKING, CUDA_INJECTION64_PATH is set";
  CHECK(contains(text, "warning        " + names));
  CHECK(contains(bench, "warning: " + names));
  CHECK(bench.find(names) != bench.rfind(names));  // make bench, and make reproduce
}

TEST_CASE(
    "case 32 (MatX PR 545): cuBLAS's handle and workspace are made before anything is timed") {
  // The class makes both in its constructor; what is timed may only run it.
  const std::string text = text_of("common/host/measure/benchmark_cuda.cu");
  const size_t made = text.find("CublasMatmul cublas");
  const size_t first_timer = text.find("timer.time(");
  REQUIRE(made != std::string::npos);
  REQUIRE(first_timer != std::string::npos);
  CHECK(made < first_timer);
  CHECK(text.find("CublasMatmul cublas", made + 1) == std::string::npos);
}

// ---- The list itself

// Rows "| 7 | ..." of docs/cases.md.
TEST_CASE("docs/cases.md has a row for each case, and every test that it names exists") {
  namespace fs = std::filesystem;
  std::string everything =
      text_of("common/tools/fuzz/corpus.txt") + text_of("common/tools/broken/broken.txt");
  for (const auto& entry : fs::recursive_directory_iterator("common/tests")) {
    if (entry.is_regular_file()) everything += text_of(entry.path().string());
  }

  std::istringstream page(text_of("docs/cases.md"));
  std::set<int> seen;
  for (std::string line; std::getline(page, line);) {
    int number = 0;
    if (std::sscanf(line.c_str(), "| %d |", &number) != 1) continue;
    CHECK(number > (seen.empty() ? 0 : *seen.rbegin()));
    seen.insert(number);
    // The last column: names of tests in backquotes.
    const std::string tests = line.substr(line.rfind(" | ", line.size() - 3));
    int named = 0;
    for (size_t at = 0; (at = tests.find('`', at)) != std::string::npos; named++) {
      const size_t end = tests.find('`', at + 1);
      REQUIRE(end != std::string::npos);
      std::string name = tests.substr(at + 1, end - at - 1);
      if (name.rfind("BREAK=", 0) == 0) name.replace(0, 6, "defect ") += ' ';
      CHECK_MESSAGE(contains(everything, name), "case " << number << ": no test is named " << name);
      at = end + 1;
    }
    CHECK_MESSAGE(named > 0, "case " << number << " names no test");
  }
  for (int number = 1; number <= 60; number++) CHECK(seen.count(number) == 1);
}

}  // namespace
