#include "config_values.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "../support/text.h"
#include "config_description.h"

namespace {

std::vector<FieldInfo> rows_of_the_list() {
  std::vector<FieldInfo> rows;
#define FIELD(name, value, unit, meaning, ...)                   \
  {                                                              \
    FieldInfo row = {#name, &ConfigValues::name, unit, meaning}; \
    __VA_ARGS__ rows.push_back(row);                             \
  }
#define AT_LEAST(name, limit, why) row.least = limit;
#define AT_MOST(name, limit, why) row.most = limit;
#define TUNED(...) row.tried = {__VA_ARGS__}, row.combined = true;
#define STEPPED(...) row.tried = {__VA_ARGS__};
#include "../../config_fields.inc"
  return rows;
}

}  // namespace

const std::vector<FieldInfo>& config_fields() {
  static const std::vector<FieldInfo> rows = rows_of_the_list();
  return rows;
}

std::vector<std::string> all_fields() {
  std::vector<std::string> names;
  for (const FieldInfo& field : config_fields()) names.push_back(field.name);
  return names;
}

const FieldInfo& field_named(const std::string& name) {
  for (const FieldInfo& field : config_fields()) {
    if (name == field.name) return field;
  }
  throw std::invalid_argument(
      name + " is no field of a config: its row is missing in common/config_fields.inc");
}

long long shared_storage_bytes(const ConfigValues& values) {
  constexpr long long alignment = 1024, mbarrier_bytes = 8;
  const auto rounded_up = [](long long bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  const long long As = values.bk_stages * values.As_bytes();
  const long long Bs = values.bk_stages * values.Bs_bytes();
  return rounded_up(rounded_up(As) + Bs + mbarrier_bytes);
}

Violation find_violation(const ArchLimits& limits, ConfigValues& values) {
  values.smem_bytes = 0;
  const Violation broken = values.first_violation(limits);
  if (broken.rule != ConfigRule::none) return broken;
  values.smem_bytes = shared_storage_bytes(values);
  return values.first_violation(limits);
}

std::string config_line(const ConfigValues& values, const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) {
    if (!line.empty()) line += " ";
    line += name + "=" + std::to_string(values.*field_named(name).value);
  }
  return line;
}

std::string read_config_line(
    const std::string& line,
    const std::vector<std::string>& names,
    ConfigValues& values) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string word;
  while (words >> word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string digits = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_number = !digits.empty() && digits.size() < 10 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::find(names.begin(), names.end(), name) == names.end()) {
      return format(
          "'%s' is not FIELD=NUMBER; the fields are %s", word.c_str(),
          listed(names, " and ").c_str());
    }
    values.*field_named(name).value = std::atoll(digits.c_str());
  }
  return "";
}

std::string config_text(const ConfigDescription& config) {
  std::string text;
  for (const ConfigField& field : config.fields) {
    text += (text.empty() ? "" : " ") + field.name + "=" + std::to_string(field.value);
  }
  return text;
}
