// What a run found out, and how it is written: one JSON object, or one row of a CSV file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../emulator/counters.h"
#include "../config/config_description.h"

// One member for each key of the JSON object, in its order; what is not known has no value and is
// written as null. The counters are those of one launch; counters.inc says which have a key.
struct RunRecord {
  std::string stage;
  std::string backend;
  std::optional<std::string> device;
  std::optional<std::string> arch;
  int64_t M = 0, N = 0, K = 0;
  std::vector<ConfigField> config;
  std::optional<std::string> inputs;
  std::optional<uint64_t> seed;
  std::optional<std::string> schedule;   // emulator
  std::optional<uint64_t> failing_seed;  // of the random schedule that failed first
  std::optional<bool> verified;
  std::optional<double> max_rel_error;  // as in compare.h; tolerance has the same unit
  std::optional<double> tolerance;
  std::optional<uint64_t> launches, wrong_launches;
  std::optional<emulator::Counters> counters;                       // emulator
  std::optional<uint64_t> war_hazards, raw_hazards, other_hazards;  // emulator
  std::optional<bool> deadlock;                                     // emulator
  std::optional<uint64_t> smem_bytes;
  std::optional<std::string> error;  // why the exit status is not 0

  // On a GPU. p20 and p80 are quantiles of the speed, so p20 <= tflops <= p80.
  std::optional<double> tflops, tflops_p20, tflops_p80;
  std::optional<double> cublas_tflops, cublas_bf16out_tflops, mma_peak_tflops;
  std::optional<uint64_t> registers, spill_bytes;
  std::optional<double> clock_mhz, power_w;
  std::optional<std::string> driver, cuda;
};

// The JSON object, every key on a line of its own, with a newline at the end.
std::string to_json(const RunRecord& record);

// The names of a CSV file's columns, and the row of a record. `date` is in UTC, `commit` and
// `kernel_hash` say what was measured.
std::string csv_header();
std::string csv_row(
    const RunRecord& record,
    const std::string& date,
    const std::string& commit,
    const std::string& kernel_hash);

// `text` in JSON's double quotes.
std::string json_string(const std::string& text);

// `text` as a field of a CSV file: in double quotes where it needs them.
std::string csv_string(const std::string& text);
