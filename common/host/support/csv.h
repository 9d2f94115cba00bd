// CSV files: cells, and rows whose columns have names.
#pragma once

#include <optional>
#include <string>
#include <vector>

// `text` as a cell: in double quotes where it needs them, or always.
std::string csv_string(const std::string& text);
std::string csv_quoted(const std::string& text);

// A number as a cell, by a printf pattern; "" where it is not known or not finite.
std::string csv_number(const std::optional<double>& value, const char* pattern = "%.7g");

template <class Integer>
std::string csv_integer(const std::optional<Integer>& value) {
  return value ? std::to_string(*value) : "";
}

// The columns of a file, with what one row has in them. Header and row end with a newline.
struct CsvColumn {
  std::string name, cell;
};
std::string csv_header_of(const std::vector<CsvColumn>& columns);
std::string csv_row_of(const std::vector<CsvColumn>& columns);

// The texts of a line's cells, unquoted.
std::vector<std::string> csv_cells(const std::string& line);
