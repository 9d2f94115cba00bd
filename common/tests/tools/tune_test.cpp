// The tuner without a GPU: what it tries and in what order, what it remembers; and presets.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "../../host/support/refusal.h"
#include "../../host/support/text.h"
#include "../../tools/tune/compile.h"
#include "../../tools/tune/results.h"
#include "../../tools/tune/search.h"
#include "../../tools/tune/space.h"
#include "../support/temporary_directory.h"
#include "../support/text.h"

namespace {

// A space like that of stage 03.
Space fused_space(const Card* card = find_card("NVIDIA H200", 132)) {
  Space space;
  space.card = *card;
  space.base.M = space.base.N = space.base.K = 8192;
  space.base.bk_stages = 3;
  space.base.wk_stages = 2;
  space.base.group_m = space.base.group_n = 8;
  space.base.swizzle = 128;
  space.fields = {
      "BM",        "BN",      "BK",      "bk_stages", "warps_per_block_m", "warps_per_block_n",
      "wk_stages", "swizzle", "group_m", "group_n",   "min_blocks_per_sm"};
  return space;
}

// Small enough to list whole.
Space small_space() {
  Space space = fused_space();
  space.pinned = {"BM", "BN", "warps_per_block_m", "warps_per_block_n", "min_blocks_per_sm"};
  return space;
}

bool is_legal_on(const Space& space, const ConfigValues& values) {
  return values.first_violation(limits_of(space.card.arch)).rule == ConfigRule::none;
}

// ---- The space

TEST_CASE("tune: all that is tried is legal on the card, and tried once") {
  for (const Card* card : {find_card("NVIDIA H200", 132), find_card("RTX 5090", 170)}) {
    const Space space = fused_space(card);
    std::set<std::string> keys;
    for (const Candidate& candidate : ranked_candidates(space)) {
      REQUIRE(is_legal_on(space, candidate.values));
      REQUIRE(candidate.values.smem_bytes == shared_storage_bytes(candidate.values));
      REQUIRE(candidate.values.swizzle == 2 * candidate.values.BK);
      REQUIRE(candidate.values.group_m == 8);
      REQUIRE(keys.insert(key_of(space, candidate.values)).second);
    }
    CHECK(keys.size() > 1000);
    CHECK(keys.count(key_of(space, space.base)) == 1);
  }
}

TEST_CASE("tune: first the best of each kind of tile, then the second best") {
  const Space space = fused_space();
  const auto kind = [](const ConfigValues& values) {
    return config_line(values, {"BM", "BN", "BK", "warps_per_block_m", "warps_per_block_n"});
  };
  std::map<std::string, double> best;
  std::map<std::string, int> times;
  int round = 1;
  for (const Candidate& candidate : ranked_candidates(space)) {
    const std::string name = kind(candidate.values);
    const int nth = ++times[name];
    REQUIRE(nth >= round);  // no kind falls behind
    round = nth;
    if (nth == 1) best[name] = candidate.tflops;
    REQUIRE(candidate.tflops <= best[name] * 1.021);
  }
}

TEST_CASE("tune: fields of the command line stay, and so does a stage without swizzle") {
  Space space = fused_space();
  space.base.BK = 32;
  space.base.swizzle = 64;
  space.pinned = {"BK", "wk_stages"};
  for (const Candidate& candidate : ranked_candidates(space)) {
    REQUIRE(candidate.values.BK == 32);
    REQUIRE(candidate.values.wk_stages == 2);
  }
  space = fused_space();
  space.base.swizzle = 0;
  std::set<long long> BK;
  for (const Candidate& candidate : ranked_candidates(space)) {
    REQUIRE(candidate.values.swizzle == 0);
    BK.insert(candidate.values.BK);
  }
  CHECK(BK == std::set<long long>{16, 32, 64, 128});
}

TEST_CASE("tune: a stage keeps the fields that it does not have") {
  Space space = fused_space();
  space.fields = {"BM", "BN", "BK", "warps_per_block_m", "warps_per_block_n", "swizzle"};
  space.base.bk_stages = space.base.wk_stages = 1;
  for (const Candidate& candidate : ranked_candidates(space)) {
    REQUIRE(candidate.values.bk_stages == 1);
    REQUIRE(candidate.values.wk_stages == 1);
    REQUIRE(candidate.values.min_blocks_per_sm == 1);
  }
}

TEST_CASE("tune: neighbours are legal, new, and reach every field that matters") {
  const Space space = fused_space();
  std::set<std::string> keys;
  std::map<std::string, std::set<long long>> seen;
  for (ConfigValues values : neighbours(space, space.base)) {
    CHECK(is_legal_on(space, values));
    CHECK(key_of(space, values) != key_of(space, space.base));
    for (const std::string& name : space.fields) seen[name].insert(values.*field_named(name).value);
  }
  for (const char* name :
       {"BM", "BN", "BK", "bk_stages", "warps_per_block_m", "wk_stages", "group_n",
        "min_blocks_per_sm"}) {
    CAPTURE(name);
    CHECK(seen[name].size() > 1);
  }
  CHECK(seen["group_m"] == std::set<long long>{8});
}

TEST_CASE("tune: configs are written and read as FIELD=NUMBER") {
  const Space space = fused_space();
  ConfigValues values = space.base;
  CHECK(read_config_line("BM=256  bk_stages=4 # half of it", space.fields, values) == "");
  CHECK(values.BM == 256);
  CHECK(values.bk_stages == 4);
  ConfigValues again = space.base;
  CHECK(read_config_line(key_of(space, values), space.fields, again) == "");
  CHECK(key_of(space, again) == key_of(space, values));
  for (const char* wrong : {"M=1", "BM", "BM=", "BM=-1", "BM=12x", "bm=64", "BM=9999999999"}) {
    CAPTURE(wrong);
    CHECK(read_config_line(wrong, space.fields, values) != "");
  }
}

// ---- The search

TEST_CASE("tune: a search tries everything once, and nothing that was tried before") {
  const Space space = small_space();
  const std::string before = key_of(space, ranked_candidates(space).front().values);
  Search search(space, {before}, std::nullopt);
  std::set<std::string> keys;
  while (const auto candidate = search.next({key_of(space, space.base)}, keys.size() * 0.1)) {
    REQUIRE(keys.insert(key_of(space, candidate->values)).second);
  }
  CHECK(keys.count(before) == 0);
  CHECK(keys.size() + 1 >= search.candidates());
  // Neighbours reach group_n, which the ranking leaves alone.
  CHECK(keys.size() > search.candidates());
}

TEST_CASE("tune: later in the search, every second config is a neighbour of the fastest") {
  const Space space = fused_space();
  std::set<std::string> near;
  for (const ConfigValues& values : neighbours(space, space.base))
    near.insert(key_of(space, values));
  const auto share_near = [&](double elapsed) {
    Search search(space, {}, std::nullopt);
    int found = 0;
    for (int i = 0; i < 20; i++) {
      const auto candidate = search.next({key_of(space, space.base)}, elapsed);
      found += static_cast<int>(near.count(key_of(space, candidate->values)));
    }
    return found;
  };
  CHECK(share_near(0.1) < 5);
  CHECK(share_near(0.9) >= 10);
}

TEST_CASE("tune: a list of configs is all that is tried") {
  const Space space = fused_space();
  ConfigValues other = space.base;
  other.BK = 32;
  other.swizzle = 64;
  Search search(space, {}, std::vector<ConfigValues>{space.base, other, space.base});
  CHECK(key_of(space, search.next({}, 0.9)->values) == key_of(space, space.base));
  CHECK(key_of(space, search.next({}, 0.9)->values) == key_of(space, other));
  CHECK_FALSE(search.next({}, 0.9).has_value());
}

// ---- What is remembered

SearchId search_id() {
  return {"2025-01-01", "abc", "12-34", "03_fused_pipeline", "GPU, large", 8192, 8192, 8192};
}

TEST_CASE("tune: results outlive the run, and only those of the same kernel and problem count") {
  const TemporaryDirectory folder;
  const std::string path = folder.file("tune.csv");
  {
    ResultFile file(path, search_id());
    Result result;
    result.key = "BM=128 BN=64";
    result.status = "ok";
    result.phase = "search";
    result.registers = 200;
    result.tflops = 400.25;
    result.ratio = 1.0;
    file.add(result);
    result.key = "BM=64 BN=64";
    result.ratio = 1.25;
    file.add(result);
    result.key = "BM=256 BN=64";
    result.status = "does not compile: \"no\", it says";
    result.tflops = result.ratio = std::nullopt;
    file.add(result);
  }
  const ResultFile again(path, search_id());
  REQUIRE(again.results().size() == 3);
  CHECK(again.results().at("BM=256 BN=64").status == "does not compile: \"no\", it says");
  CHECK_FALSE(again.results().at("BM=256 BN=64").tflops.has_value());
  CHECK(*again.results().at("BM=128 BN=64").tflops == 400.25);
  CHECK(*again.results().at("BM=128 BN=64").registers == 200);
  REQUIRE(again.fastest().size() == 2);
  CHECK(again.fastest()[0].key == "BM=64 BN=64");

  SearchId other = search_id();
  other.kernel_hash = "56-78";
  CHECK(ResultFile(path, other).results().empty());
  other = search_id();
  other.K = 4096;
  CHECK(ResultFile(path, other).results().empty());
  other = search_id();
  other.date = "2026-01-01";
  CHECK(ResultFile(path, other).results().size() == 3);
}

TEST_CASE("tune: a file with other columns is refused, not appended to") {
  const TemporaryDirectory folder;
  folder.write("tune.csv", "a,b\n1,2\n");
  CHECK_THROWS_AS(ResultFile(folder.file("tune.csv"), search_id()), Refusal);
}

TEST_CASE("tune: registers and spills are read from what ptxas says") {
  const std::string text =
      "ptxas info    : Compiling entry function '_Z13matmul_kernel' for 'sm_90a'\n"
      "    344 bytes stack frame, 40 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 212 registers, used 1 barriers, 344 bytes cumulative stack size\n";
  CHECK(registers_in(text) == 212);
  CHECK(spill_bytes_in(text) == 344 + 40 + 8);
  CHECK_FALSE(registers_in("nothing").has_value());
  CHECK_FALSE(spill_bytes_in("0 bytes stack frame").has_value());
}

TEST_CASE("tune: a compiler that fails is an error of that config, with its line") {
  const TemporaryDirectory folder;
  const Space space = fused_space();
  const CompileRules rules = {
      "echo 'note: hm'; echo 'kernel.cu(1): error: no'; false", "03_fused_pipeline", "90a",
      folder.file(""), space.fields};
  int left = 5;
  CompilePool pool(3, rules, [&]() -> std::optional<Candidate> {
    if (left == 0) return std::nullopt;
    Candidate candidate;
    candidate.values = space.base;
    candidate.values.group_n = left--;
    return candidate;
  });
  int seen = 0;
  for (std::vector<Compiled> some; !(some = pool.take(2)).empty();) {
    for (const Compiled& compiled : some) {
      seen++;
      CHECK_FALSE(compiled.registers.has_value());
      CHECK(compiled.error != "");
    }
  }
  CHECK(seen == 5);
}

// ---- Presets

// Runs common/make/options.sh in a folder with one stage, and returns what it prints.
std::string options_sh(const TemporaryDirectory& folder, const std::string& arguments) {
  char here[4096];
  REQUIRE(::getcwd(here, sizeof here) != nullptr);
  const std::string command = "cd " + folder.file("") + " && " + here + "/common/make/options.sh " +
                              arguments + " 2>/dev/null";
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output.append(buffer, size);
  }
  ::pclose(pipe);
  return output;
}

TEST_CASE("preset: a file beside the stage sets fields, and the command line overrides it") {
  const TemporaryDirectory folder;
  ::mkdir(folder.file("07_test").c_str(), 0777);
  folder.write("07_test/config.h", "field(\"BM\", 1)\nfield(\"BN\", 2)\nfield(\"BK\", 3)\n");
  folder.write("07_test/fast.preset", "# fast\nBM=64   # rows\n\n  BK = 32\n");
  folder.write("07_test/odd.preset", "BM=64\nBQ=1\n");
  folder.write("07_test/text.preset", "BM=many\n");
  const std::string check = "check each 07_test 'PRESET V' PRESET=";
  CHECK(options_sh(folder, check + "fast BN=8") == "");

  const std::string header =
      options_sh(folder, "header 07_test 120 120a flags PRESET=fast BN=8 BK=16");
  CHECK(contains(header, "{\"BM\", 64}, {\"BK\", 32}, {\"BN\", 8}, {\"BK\", 16}"));

  CHECK(contains(options_sh(folder, check + "slow"), "there are: fast odd text\n"));
  CHECK(contains(options_sh(folder, check + "../07_test/fast"), "no such preset"));
  CHECK(contains(
      options_sh(folder, check + "odd"), "07_test/odd.preset: 'BQ=1' is not FIELD=NUMBER"));
  CHECK(contains(options_sh(folder, check + "text"), "'BM=many' is not FIELD=NUMBER"));
  CHECK(contains(options_sh(folder, "check none '' 'PRESET V' PRESET=fast"), "needs a stage"));
}

TEST_CASE("preset: those beside the stages are legal configs") {
  // Each line names fields of its stage; the limits of the card that the file is named after count.
  for (const char* stage : {"00_naive", "01_swizzle", "02_warp_specialized", "03_fused_pipeline"}) {
    for (const Card& card : known_cards()) {
      const std::string path = std::string(stage) + "/" + card.file + ".preset";
      std::ifstream file(path);
      if (!file) continue;
      CAPTURE(path);
      Space space = fused_space();
      space.card = card;
      ConfigValues values = space.base;
      values.producer_warps = contains(stage, "02") ? 1 : 0;
      if (contains(stage, "00") || contains(stage, "01")) values.bk_stages = 1;
      if (!contains(stage, "03")) values.wk_stages = 1;
      for (std::string line; std::getline(file, line);) {
        CHECK(read_config_line(line, space.fields, values) == "");
      }
      CHECK(find_violation(space, values).rule == ConfigRule::none);
    }
  }
}

}  // namespace
