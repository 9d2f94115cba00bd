#include "results.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "../../host/support/output_files.h"
#include "../../host/support/text.h"

namespace {

std::string quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string number(const std::optional<double>& value, const char* pattern) {
  if (!value) return "";
  char text[32];
  snprintf(text, sizeof text, pattern, *value);
  return text;
}

std::string number(const std::optional<int>& value) {
  return value ? std::to_string(*value) : std::string();
}

std::optional<double> optional_double(const std::string& cell) {
  if (cell.empty()) return std::nullopt;
  return std::atof(cell.c_str());
}

std::optional<int> optional_int(const std::string& cell) {
  if (cell.empty()) return std::nullopt;
  return std::atoi(cell.c_str());
}

// The order of result_header().
enum Column {
  date,
  commit,
  kernel_hash,
  stage,
  device,
  M,
  N,
  K,
  key,
  status,
  phase,
  predicted,
  estimated,
  registers,
  spills,
  smem,
  tflops,
  ratio,
  column_count
};

bool belongs_to(const std::vector<std::string>& cells, const SearchId& id) {
  return cells.size() == column_count && cells[kernel_hash] == id.kernel_hash &&
         cells[stage] == id.stage && cells[device] == id.device &&
         cells[M] == std::to_string(id.M) && cells[N] == std::to_string(id.N) &&
         cells[K] == std::to_string(id.K);
}

Result result_of(const std::vector<std::string>& cells) {
  Result result;
  result.key = cells[key];
  result.status = cells[status];
  result.phase = cells[phase];
  result.predicted_tflops = std::atof(cells[predicted].c_str());
  result.estimated_registers = std::atoi(cells[estimated].c_str());
  result.registers = optional_int(cells[registers]);
  result.spill_bytes = optional_int(cells[spills]);
  result.smem_bytes = std::atoll(cells[smem].c_str());
  result.tflops = optional_double(cells[tflops]);
  result.ratio = optional_double(cells[ratio]);
  return result;
}

}  // namespace

std::string result_header() {
  return "date,commit,kernel_hash,stage,device,M,N,K,config,status,phase,predicted_tflops,"
         "estimated_registers,registers,spill_bytes,smem_bytes,tflops,ratio_to_default\n";
}

std::string result_row(const SearchId& id, const Result& result) {
  const std::vector<std::string> cells = {
      id.date,
      id.commit,
      id.kernel_hash,
      id.stage,
      quoted(id.device),
      std::to_string(id.M),
      std::to_string(id.N),
      std::to_string(id.K),
      quoted(result.key),
      quoted(result.status),
      result.phase,
      number(result.predicted_tflops, "%.1f"),
      std::to_string(result.estimated_registers),
      number(result.registers),
      number(result.spill_bytes),
      std::to_string(result.smem_bytes),
      number(result.tflops, "%.2f"),
      number(result.ratio, "%.4f"),
  };
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "" : ",") + cell;
  return row + "\n";
}

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool in_quotes = false;
  for (size_t i = 0; i < line.size(); i++) {
    const char c = line[i];
    const bool doubled = in_quotes && c == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (doubled) {
      cells.back() += line[++i];
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (c == ',' && !in_quotes) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

ResultFile::ResultFile(const std::string& path, const SearchId& id) : path_(path), id_(id) {
  check_writable("the results", path);
  check_csv_columns(path, result_header());
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = csv_cells(line);
    if (belongs_to(cells, id)) results_[cells[key]] = result_of(cells);
  }
}

void ResultFile::add(const Result& result) {
  append_csv_row(path_, result_header(), result_row(id_, result));
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
