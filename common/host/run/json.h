// What a run found out, and how it is written: one JSON object, or one row of a CSV file.
#pragma once

#include <optional>
#include <string>

#include "../config/config_description.h"
#include "../device/device.h"
#include "../measure/benchmark.h"
#include "../options/options.h"
#include "../verify/verify.h"

// What is known so far. What comes of a part that is missing, or that its backend does not have, is
// null in JSON and empty in CSV.
struct RunRecord {
  ConfigDescription config = {};
  std::optional<Options> options;  // once the command line has been read
  std::optional<Device> device;    // once it has been opened
  std::optional<Verification> verification;
  std::optional<Benchmark> benchmark;
  std::string refusal;  // why the run ended early; "" if it did not
};

// The JSON object, every key on a line of its own, with a newline at the end.
std::string to_json(const RunRecord& record);

// The names of a CSV file's columns, and the row of a record. `date` is in UTC; with the hash of
// the kernel, `commit` says what was measured.
std::string csv_header();
std::string csv_row(const RunRecord& record, const std::string& date, const std::string& commit);

// `text` in JSON's double quotes.
std::string json_string(const std::string& text);
