// Prints the table of fields in docs/reference.md, by the list of fields and the config.h of the
// stages that its arguments name:
//
//   field_table 00_naive 01_swizzle ...
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

// A stage's number, and the text of its config.h.
struct Stage {
  std::string number;
  std::string config;
};

Stage read_stage(const std::string& folder) {
  std::ifstream file(folder + "/config.h");
  return {
      folder.substr(0, folder.find('_')), std::string(std::istreambuf_iterator<char>(file), {})};
}

// "all", or the numbers of the stages whose config.h has the field.
std::string stages_with(const std::vector<Stage>& stages, const std::string& field) {
  std::string numbers;
  size_t count = 0;
  for (const Stage& stage : stages) {
    if (stage.config.find("field(\"" + field + "\"") == std::string::npos) continue;
    numbers += (count++ == 0 ? "" : ", ") + stage.number;
  }
  return count == stages.size() ? "all" : numbers;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Stage> stages;
  for (int i = 1; i < argc; i++) stages.push_back(read_stage(argv[i]));
  std::puts("\n| field | stages | unit | what |\n|---|---|---|---|");
#define FIELD(name, value, unit, meaning, ...) \
  std::printf(                                 \
      "| `%s` | %s | %s | %s |\n", #name, stages_with(stages, #name).c_str(), unit, meaning);
#include "../../config_fields.inc"
  std::puts("");
  return 0;
}
