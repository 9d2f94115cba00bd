#include "config_values.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "../support/text.h"

namespace {

struct Member {
  const char* name;
  long long ConfigValues::*member;
};
constexpr Member members[] = {
    {"M", &ConfigValues::M},
    {"N", &ConfigValues::N},
    {"K", &ConfigValues::K},
    {"BM", &ConfigValues::BM},
    {"BN", &ConfigValues::BN},
    {"BK", &ConfigValues::BK},
    {"warps_per_block_m", &ConfigValues::warps_per_block_m},
    {"warps_per_block_n", &ConfigValues::warps_per_block_n},
    {"bk_stages", &ConfigValues::bk_stages},
    {"wk_stages", &ConfigValues::wk_stages},
    {"group_m", &ConfigValues::group_m},
    {"group_n", &ConfigValues::group_n},
    {"swizzle", &ConfigValues::swizzle},
    {"min_blocks_per_sm", &ConfigValues::min_blocks_per_sm},
};

}  // namespace

std::vector<std::string> all_fields() {
  std::vector<std::string> names;
  for (const Member& known : members) names.push_back(known.name);
  return names;
}

long long* find_field(ConfigValues& values, const std::string& name) {
  for (const Member& known : members) {
    if (name == known.name) return &(values.*known.member);
  }
  return nullptr;
}

ConfigValues values_of(const ConfigDescription& config) {
  ConfigValues values;
  for (const ConfigField& field : config.fields) {
    if (long long* const member = find_field(values, field.name)) *member = field.value;
  }
  values.producer_warps = config.threads / 32 - values.warps_per_block_m * values.warps_per_block_n;
  values.smem_bytes = static_cast<long long>(config.smem_bytes);
  return values;
}

std::string config_line(const ConfigValues& values, const std::vector<std::string>& names) {
  ConfigValues copy = values;
  std::string line;
  for (const std::string& name : names) {
    if (!line.empty()) line += " ";
    line += name + "=" + std::to_string(*find_field(copy, name));
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
    *find_field(values, name) = std::atoll(digits.c_str());
  }
  return "";
}
