#include "results.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "../../host/support/csv.h"
#include "../../host/support/output_files.h"
#include "../../host/support/text.h"

namespace {

std::optional<double> optional_double(const std::string& cell) {
  if (cell.empty()) return std::nullopt;
  return number_in(cell);
}

std::optional<int> optional_int(const std::string& cell) {
  if (cell.empty()) return std::nullopt;
  return std::atoi(cell.c_str());
}

std::vector<CsvColumn> columns_of(const SearchId& id, const Result& result) {
  return {
      {"date", id.date},
      {"commit", id.commit},
      {"kernel_hash", id.kernel_hash},
      {"stage", id.stage},
      {"device", csv_quoted(id.device)},
      {"M", std::to_string(id.M)},
      {"N", std::to_string(id.N)},
      {"K", std::to_string(id.K)},
      {"config", csv_quoted(result.key)},
      {"status", csv_quoted(result.status)},
      {"phase", result.phase},
      {"predicted_tflops", csv_number(result.predicted_tflops, "%.1f")},
      {"estimated_registers", std::to_string(result.estimated_registers)},
      {"registers", csv_integer(result.registers)},
      {"spill_bytes", csv_integer(result.spill_bytes)},
      {"smem_bytes", std::to_string(result.smem_bytes)},
      {"tflops", csv_number(result.tflops, "%.2f")},
      {"ratio_to_default", csv_number(result.ratio, "%.4f")},
  };
}

// The texts of a row by the names of their columns; none if it is no row of this file.
using Row = std::map<std::string, std::string>;
Row read_row(const std::string& line) {
  static const std::vector<CsvColumn> columns = columns_of({}, {});
  const std::vector<std::string> cells = csv_cells(line);
  Row row;
  if (cells.size() != columns.size()) return row;
  for (size_t i = 0; i < cells.size(); i++) row[columns[i].name] = cells[i];
  return row;
}

bool belongs_to(const Row& row, const SearchId& id) {
  return !row.empty() && row.at("kernel_hash") == id.kernel_hash && row.at("stage") == id.stage &&
         row.at("device") == id.device && row.at("M") == std::to_string(id.M) &&
         row.at("N") == std::to_string(id.N) && row.at("K") == std::to_string(id.K);
}

Result result_of(const Row& row) {
  Result result;
  result.key = row.at("config");
  result.status = row.at("status");
  result.phase = row.at("phase");
  result.predicted_tflops = number_in(row.at("predicted_tflops"));
  result.estimated_registers = std::atoi(row.at("estimated_registers").c_str());
  result.registers = optional_int(row.at("registers"));
  result.spill_bytes = optional_int(row.at("spill_bytes"));
  result.smem_bytes = std::atoll(row.at("smem_bytes").c_str());
  result.tflops = optional_double(row.at("tflops"));
  result.ratio = optional_double(row.at("ratio_to_default"));
  return result;
}

}  // namespace

ResultFile::ResultFile(const std::string& path, const SearchId& id) : path_(path), id_(id) {
  check_writable("the results", path);
  check_csv_columns(path, csv_header_of(columns_of({}, {})));
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const Row row = read_row(line);
    if (belongs_to(row, id)) results_[row.at("config")] = result_of(row);
  }
}

void ResultFile::add(const Result& result) {
  const std::vector<CsvColumn> columns = columns_of(id_, result);
  append_csv_row(path_, csv_header_of(columns), csv_row_of(columns));
  results_[result.key] = result;
}

std::vector<Result> ResultFile::fastest() const {
  std::vector<Result> timed;
  for (const auto& [key_text, result] : results_) {
    if (result.ratio) timed.push_back(result);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const Result& a, const Result& b) {
    return *a.ratio > *b.ratio;
  });
  return timed;
}
