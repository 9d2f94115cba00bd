#include "csv.h"

#include <cmath>

#include "text.h"

std::string csv_string(const std::string& text) {
  return text.find_first_of(",\"\r\n") == std::string::npos ? text : csv_quoted(text);
}

std::string csv_quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string csv_number(const std::optional<double>& value, const char* pattern) {
  if (!value || !std::isfinite(*value)) return "";
  const CLocale c;
  char text[32];
  std::snprintf(text, sizeof text, pattern, *value);
  return text;
}

std::string csv_header_of(const std::vector<CsvColumn>& columns) {
  std::string line;
  for (const CsvColumn& column : columns) line += (line.empty() ? "" : ",") + column.name;
  return line + "\n";
}

std::string csv_row_of(const std::vector<CsvColumn>& columns) {
  std::string line;
  for (size_t i = 0; i < columns.size(); i++) line += (i == 0 ? "" : ",") + columns[i].cell;
  return line + "\n";
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
