// What a run writes: the JSON object and the CSV row.
#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <sstream>

#include "../../host/run/json.h"
#include "../support/text.h"

namespace {

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

}  // namespace
