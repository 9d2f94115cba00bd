// What the fuzzer draws, and how it simplifies.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "../../tools/fuzz/draw.h"

namespace {

FuzzedStage stage_with_all_fields() {
  FuzzedStage stage;
  stage.fields = all_fields();
  stage.limits = limits_of(120);
  stage.most_mma = 16000;
  stage.most_tiles = 6;
  return stage;
}

std::vector<ConfigValues> drawn(const FuzzedStage& stage, uint64_t count, uint64_t seed = 1) {
  std::vector<ConfigValues> configs;
  for (uint64_t i = 0; i < count; i++) configs.push_back(draw_config(stage, seed, i));
  return configs;
}

long long tiles_of(long long extent, long long tile) { return (extent - 1) / tile + 1; }

TEST_CASE("fuzz: what is drawn is legal, within bounds, and the same for the same seed") {
  const FuzzedStage stage = stage_with_all_fields();
  std::set<std::string> lines;
  for (uint64_t i = 0; i < 500; i++) {
    ConfigValues values = draw_config(stage, 3, i);
    CHECK(find_violation(stage.limits, values).rule == ConfigRule::none);
    CHECK(mma_count(values) <= stage.most_mma);
    const std::string line = config_line(values, stage.fields);
    CHECK(line == config_line(draw_config(stage, 3, i), stage.fields));
    CHECK(line != config_line(draw_config(stage, 4, i), stage.fields));
    lines.insert(line);
  }
  CHECK(lines.size() > 490);
}

TEST_CASE("fuzz: five hundred configs have every kind of config in them") {
  const std::vector<ConfigValues> configs = drawn(stage_with_all_fields(), 500);
  const auto count = [&](const auto& is_so) {
    return std::count_if(configs.begin(), configs.end(), is_so);
  };
  using V = ConfigValues;
  for (const long long swizzle : {0, 32, 64, 128}) {
    CHECK(count([&](const V& v) { return v.swizzle == swizzle; }) > 25);
  }
  for (const long long stages : {1, 2, 3, 4, 5, 6}) {
    CHECK(count([&](const V& v) { return v.bk_stages == stages; }) > 15);
  }
  CHECK(count([](const V& v) { return v.bk_stages > 6; }) > 5);
  for (const long long sets : {1, 2, 3, 4}) {
    CHECK(count([&](const V& v) { return v.wk_stages == sets; }) > 10);
  }
  CHECK(count([](const V& v) { return v.wk_stages > 4; }) > 10);
  CHECK(count([](const V& v) { return v.wk_stages > 1 && v.BK / 16 % v.wk_stages != 0; }) > 10);
  CHECK(count([](const V& v) { return v.wk_stages == v.BK / 16 && v.BK > 16; }) > 10);

  CHECK(count([](const V& v) { return v.N % 2 == 1; }) > 100);
  CHECK(count([](const V& v) { return v.M == 1 || v.N == 1; }) > 50);
  CHECK(count([](const V& v) { return v.M % v.BM == 0 && v.N % v.BN == 0; }) > 50);
  CHECK(count([](const V& v) { return v.M < v.BM && v.N < v.BN; }) > 10);
  CHECK(count([](const V& v) { return v.K % v.BK != 0; }) > 100);
  CHECK(count([](const V& v) { return v.K <= v.BK; }) > 50);
  const auto k_tiles = [](const V& v) { return tiles_of(v.K, v.BK); };
  CHECK(count([&](const V& v) { return k_tiles(v) < v.bk_stages; }) > 50);
  CHECK(count([&](const V& v) { return k_tiles(v) == v.bk_stages; }) > 20);
  CHECK(count([&](const V& v) { return k_tiles(v) > 2 * v.bk_stages && v.bk_stages > 1; }) > 50);

  CHECK(count([](const V& v) { return v.BM == 256 || v.BN == 256; }) > 20);
  CHECK(count([](const V& v) { return v.BM == 16 || v.BN == 16; }) > 20);
  CHECK(count([](const V& v) { return v.warps_per_block_m * v.warps_per_block_n == 1; }) > 10);
  CHECK(count([](const V& v) { return v.warps_per_block_m * v.warps_per_block_n > 8; }) > 20);
  CHECK(count([](const V& v) { return v.min_blocks_per_sm > 1; }) > 50);
  CHECK(count([](const V& v) { return v.group_m > tiles_of(v.M, v.BM); }) > 50);
  CHECK(count([](const V& v) {
          return v.group_m < tiles_of(v.M, v.BM) && tiles_of(v.M, v.BM) % v.group_m != 0;
        }) > 10);
}

TEST_CASE("fuzz: a stage's missing fields stay as they are") {
  FuzzedStage stage = stage_with_all_fields();
  stage.fields = {"M", "N", "K", "BM", "BN", "BK", "warps_per_block_m", "warps_per_block_n"};
  stage.plain.producer_warps = 1;
  for (const ConfigValues& values : drawn(stage, 50)) {
    CHECK(values.bk_stages == 1);
    CHECK(values.wk_stages == 1);
    CHECK(values.group_n == 1);
    CHECK(values.swizzle == 0);
    CHECK(values.producer_warps == 1);
  }
}

// Everything at its least, and a tile of one warp of mma.
ConfigValues simplest_of_all() {
  ConfigValues values;
  for (const FieldInfo& field : config_fields()) {
    values.*field.value = field.least.value_or(0);
  }
  values.K = 8;
  values.BM = values.BN = values.BK = 16;
  return values;
}

TEST_CASE("fuzz: simpler configs are legal and simpler, and lead to the simplest of all") {
  const FuzzedStage stage = stage_with_all_fields();
  for (ConfigValues values : drawn(stage, 20)) {
    int steps = 0;
    for (auto simpler = simpler_configs(stage, values); !simpler.empty() && steps < 100;
         simpler = simpler_configs(stage, values), steps++) {
      for (size_t i = 0; i < simpler.size(); i++) {
        CHECK(is_drawable(stage, simpler[i]));
        CHECK(complexity(simpler[i]) < complexity(values));
        if (i > 0) CHECK(complexity(simpler[i - 1]) <= complexity(simpler[i]));
      }
      values = simpler.front();
    }
    CHECK(config_line(values, stage.fields) == config_line(simplest_of_all(), stage.fields));
  }
}

TEST_CASE("fuzz: a line of the corpus is completed, and refused in a sentence") {
  const FuzzedStage stage = stage_with_all_fields();
  CHECK(parse_config(stage, "M=5 N=6 K=8 swizzle=64").swizzle == 64);
  CHECK(parse_config(stage, "M=5 N=6 K=8").BM == 32);
  const auto refusal = [&](const char* line) -> std::string {
    try {
      parse_config(stage, line);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("M=5 N=6 K=8 BM=33").find("BM = 33 must be a multiple of 16") != std::string::npos);
  CHECK(refusal("M=5 N=6 K=8 bm=32").find("bm=32") != std::string::npos);
  CHECK(refusal("M=five").find("M=five") != std::string::npos);
}

}  // namespace
