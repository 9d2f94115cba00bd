// The parts of the benchmark that need no GPU: names of kernels, ratios, rows, options.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

#include "../../host/measure/clock_meter.h"
#include "../../tools/bench/bench_options.h"
#include "../../tools/bench/bf16_output.h"
#include "../../tools/bench/curve.h"
#include "../../tools/bench/kernel_class.h"
#include "../../tools/bench/measurement.h"
#include "../support/text.h"

namespace {

std::string bench_refusal(const std::vector<std::string>& arguments) {
  return refusal_of([&] { parse_bench_options(arguments); });
}

Measurement measured(const std::string& contestant, double tflops, std::vector<double> round_ms) {
  Measurement result;
  result.contestant = contestant;
  result.speed = {tflops, tflops - 1, tflops + 1};
  result.ms = round_ms.empty() ? 0 : round_ms[0];
  result.round_ms = std::move(round_ms);
  result.runs = 10;
  result.verified = true;
  return result;
}

// What a command prints, run from the top of the repository as the tests are.
std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  ::pclose(pipe);
  return text;
}

std::vector<std::string> split_at_commas(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\n' && c != '"') {
      fields.back() += c;
    }
  }
  return fields;
}

// ---- Kernels of libraries

TEST_CASE("names of Ampere's kernels say mma.sync") {
  for (const char* name : {
           "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x4_tn",
           "sm80_xmma_gemm_bf16f32_bf16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_"
           "tensor16x8x16_kernel",
           "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_"
           "align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)",
       }) {
    CHECK_MESSAGE(instruction_of(name, "sm_90") == Instruction::mma_sync, name);
  }
}

TEST_CASE("names of Hopper's and Blackwell's own kernels do not") {
  for (const char* name : {
           "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT",
           "sm90_xmma_gemm_bf16f32_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
           "segment_k_off_kernel__5x_cublas",
           "void cutlass::device_kernel<cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32>()",
           "cutlass3x_sm100_tensorop_s128x256x16gemm_bf16",
           "a_gmma_kernel_16816",
       }) {
    CHECK_MESSAGE(instruction_of(name, "sm_90") == Instruction::newer, name);
  }
}

TEST_CASE("a kernel of CUTLASS says mma.sync by the type of the instruction in its name") {
  const std::string operands =
      "cutlass::bfloat16_t, cutlass::layout::RowMajor, cutlass::bfloat16_t, "
      "cutlass::layout::ColumnMajor, float, cutlass::layout::RowMajor, cutlass::arch::"
      "OpMultiplyAdd>";
  const auto kernel = [&](const std::string& shape_and_threads) {
    return "void cutlass::Kernel2<CutlassGemm<cutlass::arch::Mma<cutlass::gemm::GemmShape<" +
           shape_and_threads + ", " + operands +
           ", cutlass::gemm::GemmShape<256, 128, 32>, 3> >(CutlassGemm<>::Params)";
  };
  CHECK(instruction_of(kernel("16, 8, 16>, 32"), "sm_90") == Instruction::mma_sync);
  CHECK(instruction_of(kernel("16, 8, 16>, 128"), "sm_90") == Instruction::unknown);
  CHECK(instruction_of(kernel("1, 1, 1>, 1"), "sm_90") == Instruction::unknown);
  // A tile of that shape is no instruction, nor is the name that somebody gave a kernel.
  CHECK(
      instruction_of("void Gemm<cutlass::gemm::GemmShape<16, 8, 16>, 32, float>()", "sm_90") ==
      Instruction::unknown);
  CHECK(
      instruction_of("void cutlass::Kernel2<CutlassSm80MmaSync>()", "sm_90") ==
      Instruction::unknown);
}

TEST_CASE("a name that tells nothing, or none, proves nothing") {
  CHECK(instruction_of("", "sm_90") == Instruction::unknown);
  CHECK(instruction_of("", "sm_120") == Instruction::unknown);
  CHECK(instruction_of("splitKreduce_kernel", "sm_90") == Instruction::unknown);
  CHECK(instruction_of("ampere_sgemm_128x64_tn", "sm_90") == Instruction::unknown);
}

TEST_CASE("of a product split along K, the multiplying kernel counts") {
  const std::string sum = " + void splitKreduce_kernel<32, 16, int>()";
  CHECK(
      instruction_of("ampere_bf16_s16816gemm_64x64_sliced" + sum, "sm_90") ==
      Instruction::mma_sync);
  CHECK(instruction_of("nvjet_tst_64x64" + sum, "sm_90") == Instruction::newer);
}

TEST_CASE("sm_120 has no other tensor-core instruction for bf16 than mma.sync") {
  CHECK(instruction_of("some_gemm", "sm_120") == Instruction::mma_sync);
  CHECK(instruction_of("nvjet_some_gemm", "sm_120") == Instruction::mma_sync);
  CHECK(instruction_of("some_gemm", "sm_100") == Instruction::unknown);
}

// ---- Verification of a bf16 result

TEST_CASE("a bf16 result is right if the reference rounds to it") {
  for (const float expected : {0.0f, 1.0f, 1.00390625f, -3.14159f, 1e-30f, -65504.7f, 3e38f}) {
    CHECK(before_rounding(to_bf16(expected), expected) == expected);
  }
}

TEST_CASE("a bf16 result that is one step off stays off by at least half a step") {
  for (const float expected : {1.0f, 1.3f, -2.7f, 1000.0f}) {
    for (const int step : {-1, 1}) {
      bf16 got = to_bf16(expected);
      got.bits = static_cast<uint16_t>(got.bits + step);
      CHECK(before_rounding(got, expected) != expected);
    }
  }
  // The edge of what rounds to 1.0 is a quarter step below: steps are halved under a power of two.
  CHECK(before_rounding(to_bf16(1.0f), 0.5f) == 1.0f - 0.001953125f);
  CHECK(before_rounding(to_bf16(1.0f), 2.0f) == 1.0f + 0.00390625f);
  CHECK(before_rounding(to_bf16(-1.0f), 2.0f) == -1.0f + 0.001953125f);
  CHECK(before_rounding(to_bf16(0.0f), 1.0f) < 1e-38f);
}

TEST_CASE("NaN and infinity in a bf16 result stay what they are") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(before_rounding(bf16{0xffff}, 1.0f)));
  CHECK(before_rounding(to_bf16(infinity), 1.0f) == infinity);
  CHECK(!std::isnan(before_rounding(to_bf16(1.0f), std::nanf(""))));
}

// ---- Ratios and order

TEST_CASE("a ratio is one of medians, and none where one is missing") {
  const std::vector<Measurement> all = {
      measured("03_fused", 450, {1}), measured(cublas_fp32, 600, {1})};
  const Measurement* const stage = find_measurement(all, "03_fused");
  CHECK(*speed_ratio(stage, find_measurement(all, cublas_fp32)) == doctest::Approx(0.75));
  CHECK(!speed_ratio(stage, find_measurement(all, cublas_bf16)));
  CHECK(!speed_ratio(nullptr, stage));
}

TEST_CASE("stages are in order in a round if each took less time than the one before it") {
  std::vector<Measurement> all = {
      measured("00_naive", 100, {9, 9, 9}), measured("01_swizzle", 200, {5, 5, 5}),
      measured("02_warp", 210, {4, 5, 6}), measured(cublas_fp32, 900, {1, 1, 1})};
  const OrderCount count = count_ordered_rounds(all, "");
  CHECK(count.rounds == 3);
  CHECK(count.ordered == 1);
  CHECK(count_ordered_rounds(all, "h200").rounds == 0);
}

TEST_CASE("stages of a preset are ordered among themselves") {
  std::vector<Measurement> all = {
      measured("00_naive", 100, {9}), measured("01_swizzle", 200, {5}),
      measured("00_naive", 100, {4}), measured("01_swizzle", 200, {6})};
  all[2].preset = all[3].preset = "h200";
  CHECK(count_ordered_rounds(all, "").ordered == 1);
  CHECK(count_ordered_rounds(all, "h200").ordered == 0);
  CHECK(count_ordered_rounds(all, "h200").rounds == 1);
}

TEST_CASE("the SM clock is that of its counter, over the runs whose two readings are of one SM") {
  const std::vector<ClockStamp> starts = {{1000, 5000, 0}, {9000, 9000, 0}, {50000, 20000, 7}};
  const std::vector<ClockStamp> stops = {{4000, 7000, 0}, {1, 10000, 3}, {50600, 20400, 7}};
  CHECK(mean_clock_mhz(starts, stops).value() == doctest::Approx(3600.0 / 2400 * 1000));
  CHECK(!mean_clock_mhz({{0, 0, 1}}, {{9, 9, 2}}));
  CHECK(!mean_clock_mhz({{0, 8, 1}}, {{9, 8, 1}}));  // below the steps of the timer
  CHECK(!mean_clock_mhz({}, {}));
}

TEST_CASE("a GPU that throttles is said to, with the reason") {
  CHECK(throttle_text(0) == "");
  CHECK(throttle_text(0x1 | 0x2 | 0x100) == "");  // idle, and clocks that somebody set
  CHECK(throttle_text(0x4) == "power cap");
  CHECK(throttle_text(0x4 | 0x40) == "power cap, heat");

  Environment environment;
  environment.max_clock_mhz = 1980;
  std::vector<Measurement> all = {measured("00_naive", 100, {9})};
  all[0].clock_mhz = 1980;
  CHECK(!contains(size_report(environment, {1, 1, 8}, all), "warning"));
  all[0].clock_mhz = 1500;
  CHECK(contains(size_report(environment, {1, 1, 8}, all), "1500 MHz of 1980"));
  all[0].clock_mhz = 1980;
  all[0].throttle_reasons = 0x4;
  CHECK(contains(size_report(environment, {1, 1, 8}, all), "power cap"));
}

TEST_CASE("the report says when no mma.sync algorithm of the library was found") {
  std::vector<Measurement> all = {measured("00_naive", 100, {9})};
  CHECK(contains(size_report({}, {8, 8, 8}, all), "no cuBLASLt algorithm"));
  all.push_back(measured(cublaslt_mma_sync, 400, {2}));
  all.back().kernel = "ampere_bf16_s16816gemm";
  const std::string report = size_report({}, {8, 8, 8}, all);
  CHECK(!contains(report, "no cuBLASLt algorithm"));
  CHECK(contains(report, "mma.sync: ampere_bf16_s16816gemm"));
  CHECK(contains(report, "25.0 %"));
}

TEST_CASE("with CUTLASS, the report has its kernel, and the last stage beside it") {
  Environment environment;
  std::vector<Measurement> all = {
      measured("02_warp", 90, {9}), measured("03_fused", 100, {9}), measured("03_fused", 110, {8})};
  all[2].preset = "h200";
  const std::string without = size_report(environment, {8, 8, 8}, all);
  CHECK(!contains(without, "CUTLASS"));

  environment.cutlass_kernels = 5;
  all.push_back(measured(cutlass_sm80, 80, {11}));
  all.back().config = "tile 256x128x32, warps of 64x64x32, 3 stages; best of 5";
  all.back().instruction = Instruction::unknown;
  const std::string report = size_report(environment, {8, 8, 8}, all);
  CHECK(contains(report, "\n  CUTLASS 2.x, best kernel             80.0     79.0     81.0"));
  CHECK(contains(report, "\n  CUTLASS: tile 256x128x32, warps of 64x64x32, 3 stages; best of 5\n"));
  CHECK(contains(report, "\n  03 / CUTLASS: 1.250\n  03 / CUTLASS, preset h200: 1.375\n"));
  CHECK(!contains(report, "02 / CUTLASS"));
  CHECK(!contains(report, "left out"));
  CHECK(contains(report, "  CUTLASS 2.x, best kernel         unknown: its kernel's name"));
}

TEST_CASE("a size that no kernel of CUTLASS takes is said to be without that peer") {
  Environment environment;
  environment.cutlass_kernels = 5;
  const std::vector<Measurement> all = {measured("03_fused", 100, {9})};
  const std::string report = size_report(environment, {8, 7, 8}, all);
  CHECK(contains(report, "CUTLASS is left out: none of its 5 kernels"));
  CHECK(!contains(report, "03 / CUTLASS"));
}

// ---- Steady state

// The same as measured(), with steady rounds.
Measurement steady(const std::string& contestant, double tflops, std::vector<double> round_ms) {
  Measurement result = measured(contestant, 1000, {1});  // cold, and no matter
  result.steady.emplace();
  result.steady->tflops = tflops;
  result.steady->slowest = tflops - 2;
  result.steady->fastest = tflops + 3;
  result.steady->round_ms = std::move(round_ms);
  result.steady->settled = 1;
  result.order_seed = 5;
  return result;
}

TEST_CASE("where there are steady figures, ratios and orders are of these") {
  const std::vector<Measurement> all = {
      steady("02_warp", 400, {5, 5}), steady("03_fused", 500, {4, 6}),
      measured("01_cold", 250, {1})};
  CHECK(*speed_ratio(&all[1], &all[0]) == doctest::Approx(1.25));
  CHECK(*speed_ratio(&all[2], &all[1]) == doctest::Approx(0.5));
  CHECK(count_ordered_rounds({all[0], all[1]}, "").ordered == 1);
  CHECK(count_ordered_rounds({all[0], all[1]}, "").rounds == 2);
}

TEST_CASE("the stage that is entered twice says what two equal contestants differ by") {
  std::vector<Measurement> all = {
      steady("02_warp", 300, {5}), steady("03_fused", 400, {4}), steady("03_fused", 600, {4})};
  all[2].preset = "h200";
  CHECK(!twin_difference(all));
  all.push_back(steady(twin_of("03_fused"), 396, {4}));
  CHECK(*twin_difference(all) == doctest::Approx(0.01));
  CHECK(!all.back().is_stage());  // and takes no part in the order of the stages
  const std::string report = size_report({}, {8, 8, 8}, all);
  CHECK(contains(report, "\n  03_fused, again                     396.0    394.0    399.0"));
  CHECK(contains(report, "two equal contestants differ by 1.00 %"));
  CHECK(contains(report, "settled in 4 of 4 turns"));
  CHECK(!contains(report, "again         mma.sync"));  // its kernel is no library's
  CHECK(contains(report, "  1000.0\n"));               // the cold figure, in its own column
}

TEST_CASE("a row keeps the cold figures where they were, and has the steady ones behind them") {
  Measurement row = steady("03_fused", 400, {4, 5});
  row.steady->joules = 1.75;
  const std::vector<std::string> names = split_at_commas(bench_csv_header());
  const std::vector<std::string> cells = split_at_commas(bench_csv_row({}, {8, 8, 8}, row));
  REQUIRE(names.size() == cells.size());
  const auto cell = [&](const char* name) {
    return cells.at(std::find(names.begin(), names.end(), name) - names.begin());
  };
  CHECK(cell("tflops") == "1000");
  CHECK(cell("steady_tflops") == "400");
  CHECK(cell("steady_slowest") == "398");
  CHECK(cell("steady_fastest") == "403");
  CHECK(cell("steady_rounds") == "2");
  CHECK(cell("steady_settled") == "1");
  CHECK(cell("steady_joules") == "1.75");
  CHECK(cell("steady_clock_mhz") == "");
  CHECK(cell("order_seed") == "5");
  const auto kernel = std::find(names.begin(), names.end(), "kernel");
  CHECK(*(kernel + 1) == "steady_tflops");
  const std::vector<std::string> cold =
      split_at_commas(bench_csv_row({}, {8, 8, 8}, measured("03_fused", 400, {4})));
  CHECK(std::all_of(
      cold.begin() + (kernel + 1 - names.begin()), cold.end(),
      [](const std::string& c) { return c.empty(); }));
}

TEST_CASE("a curve has a row for each bin of each predecessor") {
  CurveRecord record = {"03_fused", "BM=1 BN=2", {8, 16, 24}, 4e9, 5, {}};
  record.curves = {
      {"00_naive", {{0, 20, 2, 1500, {}}, {20, 40, 4, {}, {}}}}, {rest, {{0, 20, 1, {}, 70}}}};
  Environment environment;
  environment.device.name = "NVIDIA H200";
  const std::string csv = curve_csv(environment, record, 3);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  CHECK(contains(csv, "\n03_fused,00_naive,0,20,2,1500,,5,3,8,16,24,BM=1 BN=2,"));
  CHECK(contains(csv, "\n03_fused,00_naive,20,40,1,,,5,3,"));
  CHECK(contains(csv, "\n03_fused,rest,0,20,4,,70,5,3,"));
  CHECK(contains(csv, ",NVIDIA H200,,,,make curve\n"));
  CHECK(contains(curve_report(record), "after 00_naive                          2.0        1.0"));
}

// ---- The article's figures

TEST_CASE("the article's figures stand beside the cards that it measured, and no other") {
  const Card* const card = find_card("NVIDIA GeForce RTX 5090", 170);
  REQUIRE(card != nullptr);
  CHECK(published_figure(card, "03_fused_pipeline")->tflops == 235.01);
  CHECK(published_figure(card, "03_fused_pipeline")->versus_torch == "+4.1 %");
  CHECK(published_figure(card, cublas_bf16)->tflops == 228.00);
  CHECK(!published_figure(card, cublas_fp32));
  CHECK(!published_figure(find_card("NVIDIA H200", 132), "00_naive"));
  CHECK(!published_figure(nullptr, "00_naive"));

  Environment environment;
  environment.device.name = "NVIDIA H200";
  environment.device.sm_count = 132;
  const std::vector<Measurement> all = {
      measured(cublas_bf16, 700, {1}), measured("00_naive", 70, {1})};
  CHECK(contains(reproduction_report(environment, all), "no figures for NVIDIA H200"));
  CHECK(contains(reproduction_report(environment, all), "-90.0 %"));
  environment.device.name = "NVIDIA GeForce RTX 5090";
  environment.device.sm_count = 170;
  CHECK(contains(reproduction_report(environment, all), "194.24"));
}

// ---- Rows

TEST_CASE("a row has a field for each column, quoted where it needs it") {
  Environment environment;
  environment.device.name = "NVIDIA H200";
  environment.date = "2025-01-02T03:04:05Z";
  Measurement row = measured(cublaslt_mma_sync, 400, {2, 3});
  row.kernel = "void f<1, 2>(\"x\")";
  const std::vector<std::string> names = split_at_commas(bench_csv_header());
  const std::vector<std::string> fields =
      split_at_commas(bench_csv_row(environment, {7, 8, 16}, row));
  REQUIRE(names.size() == fields.size());
  const auto field = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    REQUIRE_MESSAGE(at != names.end(), name);
    return fields[at - names.begin()];
  };
  CHECK(field("device") == "NVIDIA H200");
  CHECK(field("stage") == "cublaslt_mma_sync");
  CHECK(field("M") == "7");
  CHECK(field("tflops") == "400");
  CHECK(field("tflops_p20") == "399");
  CHECK(field("ms") == "2");
  CHECK(field("rounds") == "2");
  CHECK(field("verified") == "true");
  CHECK(field("clock_mhz") == "");  // unknown, and not 0
  CHECK(field("kernel") == "void f<1, 2>(x)");
}

TEST_CASE("no name of a column stands twice") {
  std::vector<std::string> names = split_at_commas(bench_csv_header());
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

// ---- Options

TEST_CASE("the benchmark takes its options in both notations") {
  const BenchOptions options = parse_bench_options(
      {"--rounds=7", "--inputs", "normal", "--seed=3", "--folder", "plots/data"});
  CHECK(options.rounds == 7);
  CHECK(options.run.inputs == Inputs::normal);
  CHECK(options.run.seed == 3);
  CHECK(options.folder == "plots/data");
  CHECK(!options.reproduce);
  CHECK(parse_bench_options({"--reproduce"}).reproduce);
  CHECK(parse_bench_options({}).run.inputs == Inputs::uniform);
  CHECK(parse_bench_options({}).order_seed == 1);
  CHECK(parse_bench_options({"--order-seed", "18446744073709551615"}).order_seed == UINT64_MAX);
  CHECK(parse_bench_options({"--curve", "--seconds=60"}).seconds == 60);
}

TEST_CASE("the benchmark refuses what it does not know, in a sentence") {
  CHECK(contains(bench_refusal({"--launches", "3"}), "--launches"));
  CHECK(contains(bench_refusal({"--rounds", "0"}), "1 to 999"));
  CHECK(contains(bench_refusal({"--rounds", "5x"}), "1 to 999"));
  CHECK(contains(bench_refusal({"--rounds"}), "a value must follow"));
  CHECK(contains(bench_refusal({"--csv", "--rounds"}), "a value must follow"));
  CHECK(contains(bench_refusal({"--csv", "a", "--folder", "b"}), "one of the two"));
  CHECK(contains(bench_refusal({"--inputs", "zeros"}), "--inputs"));
  CHECK(contains(bench_refusal({"--reproduce", "--curve"}), "one of the two"));
}

// ---- What make passes on

TEST_CASE("the hash of a kernel follows its code and its fields, not its comments nor M, N, K") {
  const std::string hash = "common/make/kernel_hash.sh ";
  const std::string plain = output_of(hash + "01_swizzle");
  CHECK(std::count(plain.begin(), plain.end(), '\n') == 1);
  const std::string BM =
      output_of("sed -n 's/.*field(\"BM\", *\\([-0-9]*\\)).*/\\1/p' 01_swizzle/config.h");
  const long own = std::strtol(BM.c_str(), nullptr, 10);
  CHECK(output_of(hash + "01_swizzle M=24 K=8 BM=" + std::to_string(own)) == plain);
  CHECK(output_of(hash + "01_swizzle BM=" + std::to_string(own + 16)) != plain);
  CHECK(output_of(hash + "00_naive") != plain);

  const auto hash_after = [&](const std::string& edit) {
    return output_of(
        "d=$(mktemp -d) && cp -R common 01_swizzle $d && (cd $d && " + edit + " && " + hash +
        "01_swizzle); rm -rf $d");
  };
  CHECK(hash_after("echo '// a comment' >> 01_swizzle/kernel.cuh") == plain);
  CHECK(hash_after("echo 'int x;' >> 01_swizzle/kernel.cuh") != plain);
  CHECK(hash_after("echo 'int x;' >> common/gemm_maker.cuh") != plain);
  CHECK(hash_after("echo 'int x;' >> common/host/run/run.cpp") == plain);
}

TEST_CASE("the benchmark holds kernels of CUTLASS only where make was given it") {
  const std::string entries = "common/tools/bench/bench_entries.sh ";
  const std::string without = output_of(entries + "'entry_a entry_b' ''");
  CHECK(contains(
      without, "bench_kernels() {\n  return {\n      entry_a(),\n      entry_b(),\n  };\n}"));
  CHECK(contains(without, "cutlass_kernels() {\n  return {\n  };\n}"));
  const std::string with = output_of(entries + "'entry_a' 'cutlass_c'");
  CHECK(contains(with, "CutlassKernel cutlass_c();\n"));
  CHECK(contains(with, "cutlass_kernels() {\n  return {\n      cutlass_c(),\n  };\n}"));
}

TEST_CASE("sizes are M x N x K, and every one of the list can be copied by TMA") {
  const std::string sizes = "common/tools/bench/sizes.sh ";
  CHECK(output_of(sizes + "'' ''") == "default\n");
  CHECK(output_of(sizes + "'8x8x8 16x8x8 8x8x8' ''") == "8x8x8 16x8x8\n");
  CHECK(contains(output_of(sizes + "'8x8' ''"), "refused"));
  CHECK(contains(output_of(sizes + "'8x8x0' ''"), "refused"));
  CHECK(contains(output_of(sizes + "all K"), "refused"));
  std::istringstream all(output_of(sizes + "all ''"));
  std::string size;
  int count = 0;
  for (; all >> size; count++) {
    CHECK_MESSAGE(std::stoi(size.substr(size.rfind('x') + 1)) % 8 == 0, size);
  }
  CHECK(count >= 11);
}

}  // namespace
