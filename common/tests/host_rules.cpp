// What the host refuses, and what it writes: tensor-map rules, options, JSON, files, statistics.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

#include "../host/device/device_rules.h"
#include "../host/device/tensor_map.h"
#include "../host/options/options.h"
#include "../host/run/json.h"
#include "../host/support/output_files.h"
#include "../host/support/refusal.h"
#include "../host/support/statistics.h"
#include "../host/support/text.h"
#include "support/temporary_directory.h"

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The line of the Refusal that `action` throws; "" if it throws none.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

// ---- Tensor maps

// A legal request, which the tests bend.
TensorMapRequest legal_request() {
  alignas(16) static const bf16 memory[8] = {};
  return {'A', memory, {128, 512}, {128, 64}, 128};
}

TEST_CASE("a tensor map needs 1 to 2^32 elements a dimension") {
  TensorMapRequest request = legal_request();
  for (const int64_t rows : {int64_t{1}, int64_t{1} << 32}) {
    request.matrix.rows = rows;
    CHECK(find_tensor_map_fault(request) == "");
  }
  for (const int64_t rows : {int64_t{0}, (int64_t{1} << 32) + 1}) {
    request.matrix.rows = rows;
    const std::string fault = find_tensor_map_fault(request);
    CHECK(contains(fault, "operand A: M = " + std::to_string(rows)));
    CHECK(contains(fault, "1 to 2^32"));
  }
}

TEST_CASE("a tensor map's address is a multiple of 16 bytes") {
  TensorMapRequest request = legal_request();
  request.address += 8;
  CHECK(find_tensor_map_fault(request) == "");
  request.address -= 1;
  CHECK(contains(find_tensor_map_fault(request), "14 bytes past a multiple of 16"));
}

TEST_CASE("a row stride is a multiple of 16 bytes: K is a multiple of 8") {
  TensorMapRequest request = legal_request();
  request.matrix.cols = 1000;
  CHECK(find_tensor_map_fault(request) == "");
  for (const int64_t K : {1001, 4100}) {
    request.operand = 'B';
    request.matrix.cols = K;
    const std::string fault = find_tensor_map_fault(request);
    CHECK(contains(fault, "operand B: the row stride is " + std::to_string(2 * K) + " bytes"));
    CHECK(contains(fault, "K = " + std::to_string(K)));
    CHECK(contains(fault, "make K a multiple of 8"));
  }
}

TEST_CASE("a box has 1 to 256 elements a dimension") {
  TensorMapRequest request = legal_request();
  request.operand = 'B';
  request.swizzle = 0;
  for (const int64_t extent : {int64_t{1}, int64_t{256}}) {
    request.box = {extent, 256};
    CHECK(find_tensor_map_fault(request) == "");
  }
  request.box = {257, 64};
  CHECK(contains(find_tensor_map_fault(request), "operand B: BN = 257"));
  CHECK(contains(find_tensor_map_fault(request), "make it 256 or less"));
  request.box = {0, 64};
  CHECK(contains(find_tensor_map_fault(request), "BN = 0"));
  request.box = {64, 264};
  CHECK(contains(find_tensor_map_fault(request), "BK = 264"));
}

TEST_CASE("a row of a box is a multiple of 16 bytes") {
  TensorMapRequest request = legal_request();
  request.swizzle = 0;
  request.box.cols = 56;
  CHECK(find_tensor_map_fault(request) == "");
  request.box.cols = 60;
  CHECK(contains(find_tensor_map_fault(request), "120 bytes (BK = 60 bf16)"));
}

TEST_CASE("a row of a box is no wider than the swizzle") {
  for (const int swizzle : {32, 64, 128}) {
    TensorMapRequest request = legal_request();
    request.swizzle = swizzle;
    request.box.cols = swizzle / 2;
    CHECK(find_tensor_map_fault(request) == "");
    request.box.cols = swizzle / 2 + 8;
    const std::string fault = find_tensor_map_fault(request);
    CHECK(contains(fault, "swizzle = " + std::to_string(swizzle)));
    CHECK(contains(fault, "make BK " + std::to_string(swizzle / 2) + " or less"));
  }
}

TEST_CASE("a swizzle is 0, 32, 64 or 128 bytes") {
  TensorMapRequest request = legal_request();
  request.swizzle = 96;
  CHECK(contains(find_tensor_map_fault(request), "swizzle = 96"));
}

TEST_CASE("make_tensor_map refuses what breaks a rule, and describes what does not") {
  const TensorMapRequest good = legal_request();
  const CUtensorMap map = make_tensor_map('B', good.address, {128, 512}, {128, 64}, 128);
  CHECK(map.base == good.address);
  CHECK(map.rows == 128);
  CHECK(map.cols == 512);
  CHECK(map.row_bytes == 1024);
  CHECK(map.box_rows == 128);
  CHECK(map.box_cols == 64);
  CHECK(map.swizzle == 128);
  CHECK(map.operand == 'B');
  CHECK_THROWS_AS(make_tensor_map('B', good.address, {128, 511}, {128, 64}, 128), Refusal);
}

// ---- Devices

ConfigDescription built_for(std::vector<int> archs) {
  ConfigDescription config = {};
  config.archs = std::move(archs);
  config.M = config.N = config.K = 65536;
  return config;
}

TEST_CASE("a GPU without TMA is refused by name, with the emulator as the way on") {
  CHECK(find_gpu_fault({"NVIDIA H200", 9, 0}) == "");
  CHECK(find_gpu_fault({"NVIDIA GeForce RTX 5090", 12, 0}) == "");
  const std::string fault = find_gpu_fault({"NVIDIA GeForce RTX 4090", 8, 9});
  CHECK(contains(fault, "NVIDIA GeForce RTX 4090 has compute capability 8.9"));
  CHECK(contains(fault, "make BACKEND=emulator"));
}

TEST_CASE("a binary for another arch is refused: built for, device is, how to build") {
  const std::string fault = no_code_fault({"NVIDIA B200", 10, 0}, built_for({90, 120}));
  CHECK(
      fault ==
      "this program was built for sm_90 and sm_120, and NVIDIA B200 is sm_100; run make ARCH=100a");
}

TEST_CASE("a driver older than the toolkit is refused with both versions, a missing one too") {
  CHECK(find_driver_fault(13000, 13000, false) == "");
  CHECK(find_driver_fault(13000, 13010, false) == "");  // the same major version serves
  CHECK(contains(find_driver_fault(12040, 13000, false), "it knows CUDA 12.4"));
  CHECK(contains(find_driver_fault(12040, 13000, false), "built with CUDA 13.0"));
  CHECK(contains(find_driver_fault(13000, 13010, true), "too old"));
  CHECK(contains(find_driver_fault(0, 13000, true), "no NVIDIA driver is installed"));
}

TEST_CASE("shared memory over the GPU's limit is refused: needs, has, over by") {
  CHECK(find_shared_memory_fault(101376, 101376) == "");
  CHECK(contains(
      find_shared_memory_fault(131136, 101376),
      "needs 131,136 bytes of shared memory, and this GPU has 101,376: over by 29,760"));
}

TEST_CASE("a problem that does not fit into memory, or a grid, is refused") {
  const ConfigDescription config = built_for({90});
  CHECK(find_memory_fault(config, 1e9, 2e9, "GPU memory") == "");
  CHECK(contains(
      find_memory_fault(config, 3.0 * (1 << 30), 1 << 30, "GPU memory"), "3.0 GiB of GPU memory"));
  CHECK(find_grid_fault(2147483647) == "");
  CHECK(contains(find_grid_fault(2147483648), "2,147,483,648 blocks"));
}

// ---- Options

Options parse(const std::vector<std::string>& arguments, Backend backend = Backend::emulator) {
  return parse_options(arguments, backend);
}

std::string parse_refusal(
    const std::vector<std::string>& arguments,
    Backend backend = Backend::emulator) {
  return refusal_of([&] { parse_options(arguments, backend); });
}

TEST_CASE("without options, a GPU gets random inputs and the emulator exact ones") {
  CHECK(parse({}, Backend::cuda).inputs == Inputs::uniform);
  CHECK(parse({}, Backend::emulator).inputs == Inputs::integers);
  CHECK(parse({}).launches == 1);
  CHECK(parse({}).schedule == LandingSchedule::eager);
}

TEST_CASE("every option is understood, with its value after a space or after =") {
  const Options options = parse(
      {"--check", "--launches", "7", "--seed=18446744073709551615", "--inputs", "normal",
       "--schedule", "lazy", "--json", "-", "--csv=rows.csv"});
  CHECK(options.check);
  CHECK(options.launches == 7);
  CHECK(options.seed == UINT64_MAX);
  CHECK(options.inputs == Inputs::normal);
  CHECK(options.schedule == LandingSchedule::lazy);
  CHECK(options.json == "-");
  CHECK(options.csv == "rows.csv");
  CHECK(parse({"--schedules", "5"}).schedule == LandingSchedule::random);
  CHECK(parse({"--bench", "--device", "1"}, Backend::cuda).device == 1);
  CHECK(parse({"--help"}).help);
}

TEST_CASE("a number is decimal digits within its range") {
  for (const char* bad :
       {"x", "-1", "0", "1.5", "1e3", "0x10", " 7", "1000001", "99999999999999999999"}) {
    const std::string line = parse_refusal({"--launches", bad});
    CHECK(contains(line, std::string("--launches ") + bad));
    CHECK(contains(line, "from 1 to 1000000"));
  }
}

TEST_CASE("an option without its value, and a value without its option, are refused") {
  CHECK(contains(parse_refusal({"--seed"}), "--seed: a value must follow"));
  CHECK(contains(parse_refusal({"--seed="}), "--seed: a value must follow"));
  CHECK(contains(parse_refusal({"--json", "--check"}), "--json: a value must follow"));
  CHECK(contains(parse_refusal({"--check=yes"}), "takes no value"));
  CHECK(contains(parse_refusal({"512"}), "512: no such option"));
}

TEST_CASE("an unknown option is refused, and the nearest one named") {
  CHECK(contains(parse_refusal({"--lunches", "3"}), "did you mean --launches?"));
  CHECK(contains(parse_refusal({"--sede"}), "did you mean --seed?"));
  CHECK(!contains(parse_refusal({"--xyzzyplugh"}), "did you mean"));
}

TEST_CASE("a choice lists what there is") {
  const std::string line = parse_refusal({"--inputs", "zeros"});
  CHECK(line == "--inputs zeros: choose integers, uniform or normal");
}

TEST_CASE("options of the other backend are refused, with the way to get it") {
  const std::string schedule = parse_refusal({"--schedule", "lazy"}, Backend::cuda);
  CHECK(contains(schedule, "--schedule"));
  CHECK(contains(schedule, "make BACKEND=emulator"));
  CHECK(contains(parse_refusal({"--schedules=3"}, Backend::cuda), "make BACKEND=emulator"));
  CHECK(contains(parse_refusal({"--device", "0"}), "make BACKEND=cuda"));
  CHECK(contains(parse_refusal({"--bench"}), "make BACKEND=cuda"));
}

TEST_CASE("options that contradict each other are refused") {
  CHECK(parse_refusal({"--check", "--bench"}, Backend::cuda) != "");
  CHECK(parse_refusal({"--schedules", "3", "--launches", "2"}) != "");
  CHECK(parse_refusal({"--schedules", "3", "--schedule", "eager"}) != "");
  CHECK(parse_refusal({"--schedules", "3", "--schedule", "random"}) == "");
  CHECK(parse_refusal({"--schedules", "3", "--seed", "18446744073709551614"}) != "");
  CHECK(contains(parse_refusal({"--explain", "--trace", "t.csv"}), "--explain --trace"));
  CHECK(contains(parse_refusal({"--explain", "--schedules", "3"}), "--explain --schedules"));
}

TEST_CASE("an option that is given twice is refused, whatever its values") {
  CHECK(contains(parse_refusal({"--seed", "1", "--seed=2"}), "--seed is given twice"));
  CHECK(contains(parse_refusal({"--check", "--check"}), "--check is given twice"));
}

TEST_CASE("each output has a file of its own, and only JSON goes to standard output") {
  CHECK(contains(parse_refusal({"--json", "x", "--csv", "x"}), "a file of its own"));
  CHECK(contains(parse_refusal({"--csv", "x", "--trace", "x"}), "a file of its own"));
  CHECK(contains(parse_refusal({"--csv", "-"}), "only --json"));
  CHECK(contains(parse_refusal({"--trace", "-"}), "only --json"));
  CHECK(parse_refusal({"--json", "-", "--csv", "x", "--trace", "y"}) == "");
}

TEST_CASE("a refusal is one line") {
  for (const auto& line :
       {parse_refusal({"--sede"}), parse_refusal({"--seed", "two\nlines"}),
        parse_refusal({"--device", "0"})}) {
    CHECK(line != "");
    CHECK(!contains(line, "\n"));
  }
}

TEST_CASE("the help names every option that is accepted") {
  for (const Backend backend : {Backend::cuda, Backend::emulator}) {
    const std::string help = help_text("02_warp_specialized", backend);
    for (const char* option :
         {"--check", "--bench", "--launches", "--seed", "--inputs", "--schedule ", "--schedules",
          "--json", "--csv", "--device", "--help"}) {
      CHECK(contains(help, option));
    }
  }
}

TEST_CASE("--json is found even on a command line that is refused") {
  CHECK(find_value({"--nonsense", "--json", "x.json"}, "--json") == "x.json");
  CHECK(find_value({"--json=-", "--seed"}, "--json") == "-");
  CHECK(find_value({"--json"}, "--json") == "");
  CHECK(find_value({"--json", "--check"}, "--json") == "");
}

// ---- JSON and CSV

std::vector<std::string> keys_of(const std::string& json) {
  std::vector<std::string> keys;
  std::istringstream lines(json);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  \"", 0) == 0) keys.push_back(line.substr(3, line.find('"', 3) - 3));
  }
  return keys;
}

TEST_CASE("the JSON object has all keys, in the order of the reference") {
  const std::vector<std::string> keys = {
      "schema",
      "stage",
      "backend",
      "device",
      "arch",
      "M",
      "N",
      "K",
      "config",
      "inputs",
      "seed",
      "schedule",
      "failing_seed",
      "verified",
      "max_rel_error",
      "tolerance",
      "launches",
      "wrong_launches",
      "ldmatrix",
      "bank_conflicts",
      "war_hazards",
      "raw_hazards",
      "other_hazards",
      "deadlock",
      "smem_bytes",
      "error",
      "tflops",
      "tflops_p20",
      "tflops_p80",
      "cublas_tflops",
      "cublas_bf16out_tflops",
      "mma_peak_tflops",
      "registers",
      "spill_bytes",
      "clock_mhz",
      "power_w",
      "driver",
      "cuda"};
  CHECK(keys_of(to_json(RunRecord())) == keys);
}

TEST_CASE("what is not known is null in JSON and empty in CSV, and never 0") {
  const std::string json = to_json(RunRecord());
  for (const char* key : {"verified", "bank_conflicts", "deadlock", "tflops", "spill_bytes"}) {
    CHECK(contains(json, std::string("\"") + key + "\": null"));
  }
  CHECK(contains(csv_row(RunRecord(), "", ""), ",,,,,,"));
  RunRecord broken;
  broken.verification.emplace().max_rel_error = std::numeric_limits<double>::infinity();
  broken.benchmark.emplace().stage.speed.median = std::nan("");
  CHECK(contains(to_json(broken), "\"max_rel_error\": null"));
  CHECK(contains(to_json(broken), "\"tflops\": null"));
}

TEST_CASE("a known 0 is 0 and a known false is false") {
  RunRecord record;
  record.verification.emplace();
  record.config.fields = {{"BM", 128, false}, {"swizzle", 0, true}};
  const std::string json = to_json(record);
  CHECK(contains(json, "\"bank_conflicts\": 0,"));
  CHECK(contains(json, "\"deadlock\": false,"));
  CHECK(contains(json, "\"config\": {\"BM\": 128, \"swizzle\": 0},"));
}

TEST_CASE("JSON strings are escaped") {
  CHECK(json_string("a\"b\\c\nd\te\x01") == "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
  CHECK(json_string("\xc3\xa9") == "\"\xc3\xa9\"");  // UTF-8 stays
  CHECK(json_string("a\xff") == "\"a\\u00ff\"");     // a stray byte becomes legal
}

TEST_CASE("a CSV row has a cell for each column, whatever its text") {
  RunRecord record;
  record.refusal = "one, two \"three\"";
  record.config.kernel_hash = "def";
  record.config.fields = {{"BM", 128, false}, {"BN", 64, false}};
  const std::string row = csv_row(record, "now", "abc");
  CHECK(contains(row, "now,abc,def,"));
  CHECK(contains(row, "BM=128 BN=64"));
  CHECK(contains(row, "\"one, two \"\"three\"\"\""));
}

// ---- Files

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST_CASE("a JSON file is replaced as a whole, and no temporary file stays behind") {
  const TemporaryDirectory directory;
  write_whole_file("--json", directory.file("x"), "old");
  write_whole_file("--json", directory.file("x"), "new");
  CHECK(content_of(directory.file("x")) == "new");
  CHECK(directory.names() == std::vector<std::string>{"x"});
}

TEST_CASE("a CSV file gets one header and a row per run") {
  const TemporaryDirectory directory;
  append_csv_row(directory.file("x"), "a,b\n", "1,2\n");
  append_csv_row(directory.file("x"), "a,b\n", "3,4\n");
  CHECK(content_of(directory.file("x")) == "a,b\n1,2\n3,4\n");
  CHECK(refusal_of([&] { check_csv_columns(directory.file("x"), "a,b\n"); }) == "");
  CHECK(contains(
      refusal_of([&] { check_csv_columns(directory.file("x"), "a,c\n"); }), "other columns"));
}

TEST_CASE("a file that cannot be written is refused before work starts") {
  const TemporaryDirectory directory;
  CHECK(refusal_of([&] { check_writable("--csv", directory.file("x")); }) == "");
  CHECK(contains(
      refusal_of([] { check_writable("--csv", "/nowhere/at/all"); }), "no such directory"));
  CHECK(contains(refusal_of([] { check_writable("--json", "/"); }), "it is a directory"));
}

TEST_CASE("a full disk is noticed") {
  struct stat status;
  if (::stat("/dev/full", &status) != 0) return;  // Linux has one, macOS has not
  CHECK(contains(
      refusal_of([] { write_whole_file("--json", "/dev/full", "{}"); }), "--json /dev/full"));
  CHECK(contains(refusal_of([] { append_csv_row("/dev/full", "a\n", "1\n"); }), "--csv /dev/full"));
}

// ---- Statistics and text

TEST_CASE("the median is the middle sample, or the mean of the middle two") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("quantiles are interpolated as triton.testing.do_bench does") {
  const std::vector<double> samples = {5, 1, 4, 2, 3};
  CHECK(quantile(samples, 0) == 1);
  CHECK(quantile(samples, 1) == 5);
  CHECK(quantile(samples, 0.2) == doctest::Approx(1.8));
  CHECK(quantile(samples, 0.8) == doctest::Approx(4.2));
  CHECK_THROWS(quantile({}, 0.5));
  CHECK_THROWS(quantile(samples, 1.5));
}

TEST_CASE("big numbers are readable") {
  CHECK(with_commas(7) == "7");
  CHECK(with_commas(101376) == "101,376");
  CHECK(with_commas(1000000) == "1,000,000");
  CHECK(as_bytes(101376) == "101,376 bytes");
  CHECK(as_bytes(256u << 20) == "256.0 MiB");
}

}  // namespace
