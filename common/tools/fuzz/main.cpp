// The fuzzer's view of one stage: draws its configs, writes them as a program, simplifies one.
//
//   draw configs SEED COUNT     config 0 .. COUNT-1, one a line
//   draw complete < CONFIGS     the lines with all fields of the stage
//   draw source < CONFIGS       a C++ file with a MatmulKernel for each line
//   draw simpler < CONFIG       simpler ones to try, the simplest first
//   draw simplest < CONFIGS     the simplest of the lines
//
// fuzz.sh includes the stage's config.h before this file.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "draw.h"

namespace {

// An emulated problem of this size takes a few hundredths of a second; a GPU is not bothered.
constexpr bool on_gpu = FUZZ_ON_GPU;
constexpr int64_t most_mma = on_gpu ? 16 << 20 : 16000;
constexpr int64_t most_tiles = on_gpu ? 24 : 6;

FuzzedStage this_stage() {
  std::istringstream names(CONFIG_FIELDS);
  const std::vector<std::string> fields(std::istream_iterator<std::string>(names), {});
  return {fields, config_values<Fields>(), limits_of(CONFIG_ARCH), most_mma, most_tiles};
}

std::vector<ConfigValues> read_configs(const FuzzedStage& stage) {
  std::vector<ConfigValues> configs;
  for (std::string line; std::getline(std::cin, line);)
    configs.push_back(parse_config(stage, line));
  return configs;
}

void print(const FuzzedStage& stage, const std::vector<ConfigValues>& configs) {
  for (const ConfigValues& values : configs) std::puts(config_line(values, stage.fields).c_str());
}

std::vector<ConfigValues> drawn(const FuzzedStage& stage, uint64_t seed, uint64_t count) {
  std::vector<ConfigValues> configs;
  for (uint64_t i = 0; i < count; i++) configs.push_back(draw_config(stage, seed, i));
  return configs;
}

ConfigValues simplest(const std::vector<ConfigValues>& configs) {
  return *std::min_element(configs.begin(), configs.end(), [](const auto& a, const auto& b) {
    return complexity(a) < complexity(b);
  });
}

uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

// A struct of fields a config, derived from the stage's own, which knows what is not tunable.
void print_source(const FuzzedStage& stage, const std::vector<ConfigValues>& configs) {
  std::string list;
  std::printf(
      "#include \"common/tools/fuzz/fuzz_cases.h\"\n"
      "#include \"%s/config.h\"\n"
      "#include \"%s/kernel.cuh\"\n",
      STAGE_NAME, STAGE_NAME);
  for (size_t i = 0; i < configs.size(); i++) {
    const std::string name = "Case" + std::to_string(i);
    std::string fields = config_line(configs[i], stage.fields);
    for (size_t at = 0; (at = fields.find(' ', at)) != std::string::npos; at += 2) {
      fields.replace(at, 1, ", ");
    }
    std::printf("struct %s : Fields { static constexpr int %s; };\n", name.c_str(), fields.c_str());
    const std::string config = "GemmConfig<" + name + ">";
    list += "  make_case<" + config + ", sizeof(SharedStorage<" + config + ">), " +
            std::to_string(shared_storage_bytes(configs[i])) + ">(matmul_kernel<" + config +
            ">),\n";
  }
  std::printf("std::vector<MatmulKernel> fuzz_cases() { return {\n%s}; }\n", list.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const FuzzedStage stage = this_stage();
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "configs" && argc == 4) {
    print(stage, drawn(stage, number(argv[2]), number(argv[3])));
  } else if (command == "complete") {
    print(stage, read_configs(stage));
  } else if (command == "source") {
    print_source(stage, read_configs(stage));
  } else if (command == "simpler") {
    print(stage, simpler_configs(stage, read_configs(stage).at(0)));
  } else if (command == "simplest") {
    print(stage, {simplest(read_configs(stage))});
  } else {
    std::fputs("usage: draw configs SEED COUNT | complete | source | simpler | simplest\n", stderr);
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
