// The rules between the fields of a config: each at its edge, its sentence, and hundreds of configs
// against a second statement of what is legal.
#include "../config_checks.h"

#include <doctest/doctest.h>

#include <climits>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr ArchLimits sm_90 = limits_of(90);
constexpr ArchLimits sm_120 = limits_of(120);

ConfigRule broken_rule(const ConfigValues& values, const ArchLimits& limits = sm_120) {
  return values.first_violation(limits).rule;
}

std::string sentence(const ConfigValues& values, const ArchLimits& limits = sm_120) {
  return sentence_of(values.first_violation(limits)).text;
}

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

using Field = long long ConfigValues::*;
using V = ConfigValues;

// The default config of ConfigValues (128x128x64 tiles, 2x2 warps, no swizzle) with other fields.
ConfigValues config(const std::vector<std::pair<Field, long long>>& fields) {
  ConfigValues values;
  for (const auto& [field, value] : fields) values.*field = value;
  return values;
}

// A field's last legal and first illegal value in the config `base`, the rule that it meets there,
// and the limit as the sentence gives it.
struct Edge {
  ConfigRule rule;
  const char* name;
  Field field;
  long long legal;
  long long illegal;
  const char* limit;
  ConfigValues base;
};

std::vector<Edge> edges() {
  const V plain;
  const V swizzled = config({{&V::swizzle, 128}});
  const V narrow = config({{&V::BK, 32}});
  const V small = config({{&V::BM, 32}, {&V::BN, 32}});
  const V tall = config({{&V::warps_per_block_m, 4}});
  const V flat = config({{&V::warps_per_block_n, 4}});
  const V wide = config({{&V::BN, 224}});
  const V tiny = config({
      {&V::BM, 16},
      {&V::BN, 16},
      {&V::N, 16 * 127},
      {&V::warps_per_block_m, 1},
      {&V::warps_per_block_n, 1},
  });
  const V many_warps = config({{&V::BM, 256}, {&V::warps_per_block_m, 8}});
  const V full_block = config({
      {&V::BN, 64},
      {&V::warps_per_block_m, 8},
      {&V::warps_per_block_n, 4},
  });
  const V two_blocks = config({{&V::min_blocks_per_sm, 2}});
  return {
      {ConfigRule::M_least, "M", &V::M, 1, 0, "1", plain},
      {ConfigRule::N_least, "N", &V::N, 1, 0, "1", plain},
      {ConfigRule::K_least, "K", &V::K, 8, 0, "1", plain},
      {ConfigRule::BM_least, "BM", &V::BM, 32, 0, "1", plain},
      {ConfigRule::BN_least, "BN", &V::BN, 32, -128, "1", plain},
      {ConfigRule::BK_least, "BK", &V::BK, 16, 0, "1", plain},
      {ConfigRule::warps_per_block_m_least, "warps_per_block_m", &V::warps_per_block_m, 1, 0, "1",
       small},
      {ConfigRule::warps_per_block_n_least, "warps_per_block_n", &V::warps_per_block_n, 1, -1, "1",
       small},
      {ConfigRule::bk_stages_least, "bk_stages", &V::bk_stages, 1, 0, "1", plain},
      {ConfigRule::wk_stages_least, "wk_stages", &V::wk_stages, 1, 0, "1", plain},
      {ConfigRule::group_m_least, "group_m", &V::group_m, 1, 0, "1", plain},
      {ConfigRule::group_n_least, "group_n", &V::group_n, 1, INT_MIN, "1", plain},
      {ConfigRule::min_blocks_per_sm_least, "min_blocks_per_sm", &V::min_blocks_per_sm, 1, 0, "1",
       plain},
      {ConfigRule::K_stride, "K", &V::K, 4104, 4100, "8", plain},
      {ConfigRule::K_stride, "K", &V::K, 1000, 1001, "8", plain},
      {ConfigRule::BM_most, "BM", &V::BM, 256, 257, "256", tall},
      {ConfigRule::BM_most, "BM", &V::BM, 256, 512, "256", tall},
      {ConfigRule::BN_most, "BN", &V::BN, 256, 257, "256", flat},
      {ConfigRule::BK_most, "BK", &V::BK, 256, 272, "256", plain},
      {ConfigRule::BK_steps, "BK", &V::BK, 48, 49, "16", plain},
      {ConfigRule::BM_warps, "BM", &V::BM, 96, 112, "32", plain},
      {ConfigRule::BM_warps, "warps_per_block_m", &V::warps_per_block_m, 4, 3, "48", plain},
      {ConfigRule::BN_warps, "BN", &V::BN, 96, 112, "32", plain},
      {ConfigRule::BN_warps, "warps_per_block_n", &V::warps_per_block_n, 8, 16, "256", plain},
      {ConfigRule::swizzle_mode, "swizzle", &V::swizzle, 0, 16, "0, 32, 64 or 128", plain},
      {ConfigRule::swizzle_mode, "swizzle", &V::swizzle, 128, 256, "0, 32, 64 or 128", plain},
      {ConfigRule::swizzle_wide, "BK", &V::BK, 64, 128, "64", swizzled},
      {ConfigRule::swizzle_wide, "swizzle", &V::swizzle, 128, 64, "32", plain},
      {ConfigRule::swizzle_narrow, "BK", &V::BK, 64, 32, "64", swizzled},
      {ConfigRule::swizzle_narrow, "swizzle", &V::swizzle, 64, 128, "64", narrow},
      {ConfigRule::threads, "warps_per_block_n", &V::warps_per_block_n, 4, 8, "1024", many_warps},
      {ConfigRule::threads, "producer_warps", &V::producer_warps, 0, 1, "1024", full_block},
      {ConfigRule::blocks_per_sm, "min_blocks_per_sm", &V::min_blocks_per_sm, 24, 25, "24", tiny},
      {ConfigRule::threads_per_sm, "min_blocks_per_sm", &V::min_blocks_per_sm, 12, 13, "1536",
       small},
      {ConfigRule::grid, "M", &V::M, 270549120, 270549121, "2147483647", tiny},
      {ConfigRule::bk_stages_most, "bk_stages", &V::bk_stages, 32, 33, "32", plain},
      {ConfigRule::wk_stages_tile, "wk_stages", &V::wk_stages, 4, 5, "4", plain},
      {ConfigRule::registers_thread, "BN", &V::BN, 224, 256, "255", plain},
      {ConfigRule::registers_sm, "min_blocks_per_sm", &V::min_blocks_per_sm, 2, 3, "168", wide},
      {ConfigRule::smem_block, "shared memory", &V::smem_bytes, 101376, 101377, "101376", plain},
      {ConfigRule::smem_sm, "min_blocks_per_sm", &V::smem_bytes, 50176, 50177, "102400",
       two_blocks},
  };
}

// Is a config without shared memory legal on sm_120? Said once more, and in other words.
bool is_legal(const ConfigValues& v) {
  const bool fields_exist = v.M > 0 && v.N > 0 && v.K > 0 && v.BM > 0 && v.BN > 0 && v.BK > 0 &&
                            v.warps_per_block_m > 0 && v.warps_per_block_n > 0;
  if (!fields_exist || v.K * 2 % 16 != 0) return false;
  if (v.BM > 256 || v.BN > 256 || v.BK > 256) return false;
  if (v.BM % v.warps_per_block_m != 0 || v.BN % v.warps_per_block_n != 0) return false;
  const long long WM = v.BM / v.warps_per_block_m;
  const long long WN = v.BN / v.warps_per_block_n;
  if (WM % 16 != 0 || WN % 8 != 0 || WN / 8 % 2 != 0 || v.BK % 16 != 0) return false;
  if (v.swizzle != 0) {
    if (v.BK * 2 != v.swizzle) return false;
    if (v.swizzle != 32 && v.swizzle != 64 && v.swizzle != 128) return false;
  }
  const long long warps = v.warps_per_block_m * v.warps_per_block_n + v.producer_warps;
  if (warps > 32 || warps * v.min_blocks_per_sm > 48) return false;
  if (v.wk_stages > v.BK / 16) return false;
  const long long fragments = WM / 16 * 4 + WN / 8 * 2;
  const long long registers = WM / 16 * (WN / 8) * 4 + (v.wk_stages - 1) * fragments + 8;
  const long long warps_on_busiest_scheduler = (warps * v.min_blocks_per_sm + 3) / 4;
  const long long share = 512 / warps_on_busiest_scheduler;
  return registers <= 255 && registers <= share - share % 8;
}

}  // namespace

TEST_CASE("each rule holds on one side of its edge and is broken on the other") {
  std::set<ConfigRule> tried;
  for (const Edge& edge : edges()) {
    ConfigValues values = edge.base;
    values.*edge.field = edge.legal;
    CAPTURE(edge.name);
    CAPTURE(edge.illegal);
    CHECK_MESSAGE(broken_rule(values) == ConfigRule::none, sentence(values));

    values.*edge.field = edge.illegal;
    const Violation broken = values.first_violation(sm_120);
    const std::string text = sentence(values);
    CHECK_MESSAGE(broken.rule == edge.rule, text);
    CHECK_MESSAGE(mentions(text, edge.name), text);
    CHECK_MESSAGE(mentions(text, edge.limit), text);
    CHECK_MESSAGE(mentions(text, " = " + std::to_string(broken.value)), text);
    if (std::string(broken.what) == edge.name) CHECK(broken.value == edge.illegal);
    tried.insert(edge.rule);
  }
  // What a row of the list says of its field alone.
#define FIELD(name, value, unit, meaning, ...) __VA_ARGS__
#define AT_LEAST(name, limit, why) tried.insert(broken_rule(config({{&V::name, limit - 1}})));
#define AT_MOST(name, limit, why) tried.insert(broken_rule(config({{&V::name, limit + 1}})));
#include "../config_fields.inc"
  int rules = 0;
#define RULE(...) ++rules;
#include "../config_rules.inc"
#undef RULE
  CHECK_MESSAGE(
      static_cast<int>(tried.size()) == rules, "every rule of the list has an edge above");
}

TEST_CASE("every sentence is one line and says what to change") {
  for (const Edge& edge : edges()) {
    ConfigValues values = edge.base;
    values.*edge.field = edge.illegal;
    const std::string text = sentence(values);
    CAPTURE(text);
    CHECK(!mentions(text, "\n"));
    CHECK(text.size() < 400);
    bool says_what_to_do = false;
    for (const char* verb : {"raise ", "lower ", "change ", "choose ", "pad ", "set "}) {
      says_what_to_do = says_what_to_do || mentions(text, verb);
    }
    CHECK(says_what_to_do);
  }
}

TEST_CASE("a K that TMA cannot step over is refused with operands, stride and rule") {
  const std::string text = sentence(config({{&V::K, 1001}}));
  for (const char* words : {"K = 1001", "a multiple of 8", "of A and of B", "2 * K", "16 bytes"}) {
    CHECK_MESSAGE(mentions(text, words), text);
  }
  CHECK(mentions(text, "1000 or 1008"));
  CHECK(broken_rule(config({{&V::K, 4100}})) == ConfigRule::K_stride);
}

TEST_CASE("a tile row wider than the swizzle and one narrower have a sentence each") {
  CHECK(broken_rule(config({{&V::swizzle, 128}, {&V::BK, 128}})) == ConfigRule::swizzle_wide);
  CHECK(broken_rule(config({{&V::swizzle, 64}, {&V::BK, 64}})) == ConfigRule::swizzle_wide);
  CHECK(broken_rule(config({{&V::swizzle, 128}, {&V::BK, 32}})) == ConfigRule::swizzle_narrow);
  CHECK(broken_rule(config({{&V::swizzle, 32}, {&V::BK, 16}})) == ConfigRule::none);
}

TEST_CASE("an odd number of k-steps is legal, but not with a swizzle") {
  for (long long BK : {16, 48, 112}) {
    CHECK(broken_rule(config({{&V::BK, BK}})) == ConfigRule::none);
    if (BK > 16) CHECK(broken_rule(config({{&V::BK, BK}, {&V::swizzle, 128}})) != ConfigRule::none);
  }
  CHECK(
      broken_rule(config({{&V::BK, 112}, {&V::wk_stages, 4}, {&V::BM, 64}, {&V::BN, 64}})) ==
      ConfigRule::none);
}

TEST_CASE("four stages of 128x128x64 are too much for sm_120, and by how much is said") {
  V values = config({{&V::bk_stages, 4}, {&V::smem_bytes, 131072 + 64}});
  CHECK(broken_rule(values) == ConfigRule::smem_block);
  for (const char* words : {"131136", "101376", "over by 29760 bytes", "lower bk_stages"}) {
    CHECK_MESSAGE(mentions(sentence(values), words), sentence(values));
  }
  CHECK(broken_rule(values, sm_90) == ConfigRule::none);
}

TEST_CASE("256 accumulators a thread are refused, 64x64 warp tiles with two sets are not") {
  CHECK(broken_rule(config({{&V::BN, 256}})) == ConfigRule::registers_thread);
  CHECK(broken_rule(config({{&V::wk_stages, 2}})) == ConfigRule::none);
  CHECK(broken_rule(config({{&V::wk_stages, 2}, {&V::min_blocks_per_sm, 2}})) == ConfigRule::none);
  CHECK(broken_rule(config({{&V::BN, 256}, {&V::warps_per_block_n, 4}})) == ConfigRule::none);
}

TEST_CASE("registers are shared out by an SM's four schedulers: nine warps have 168 each") {
  CHECK(config({{&V::BM, 256}, {&V::warps_per_block_m, 4}}).registers_available() == 256);
  CHECK(config({{&V::warps_per_block_m, 4}, {&V::producer_warps, 1}}).registers_available() == 168);
}

TEST_CASE("thousands of configs are judged as a second statement of the rules judges them") {
  int legal = 0;
  int illegal = 0;
  for (long long BM : {16, 32, 48, 64, 100, 128, 192, 256, 272})
    for (long long BN : {0, 16, 48, 64, 128, 256, 512})
      for (long long BK : {8, 16, 32, 48, 64, 112, 128, 256, 264})
        for (long long swizzle : {0, 16, 32, 64, 128})
          for (long long warps_m : {1, 2, 3, 4, 8})
            for (long long warps_n : {1, 2, 4})
              for (long long wk_stages : {1, 2, 4, 5})
                for (long long blocks : {1, 2, 5}) {
                  const V values = config({
                      {&V::BM, BM},
                      {&V::BN, BN},
                      {&V::BK, BK},
                      {&V::swizzle, swizzle},
                      {&V::warps_per_block_m, warps_m},
                      {&V::warps_per_block_n, warps_n},
                      {&V::wk_stages, wk_stages},
                      {&V::min_blocks_per_sm, blocks},
                  });
                  const bool agrees = (broken_rule(values) == ConfigRule::none) == is_legal(values);
                  if (!agrees) FAIL_CHECK(sentence(values));
                  ++(is_legal(values) ? legal : illegal);
                }
  CHECK(legal > 1000);
  CHECK(illegal > 1000);
}

TEST_CASE(
    "every legal tile is a whole number of swizzle atoms, so each stage's buffer is aligned") {
  for (long long BK = 16; BK <= 256; BK += 16)
    for (long long swizzle : {0, 32, 64, 128})
      for (long long BM = 16; BM <= 256; BM += 16) {
        V values = config({{&V::BM, BM}, {&V::BK, BK}, {&V::swizzle, swizzle}});
        values.warps_per_block_m = BM / 16 > 4 ? 1 : BM / 16;
        values.BN = 16;
        values.warps_per_block_n = 1;
        if (broken_rule(values) != ConfigRule::none) continue;
        const long long atom = swizzle == 0 ? 128 : swizzle * 8;
        CHECK(BM * BK * 2 % atom == 0);
      }
}

// Overflow in a constant expression does not compile, so this file says that there is none.
TEST_CASE("huge and negative values are judged without overflow") {
  constexpr long long extremes[] = {INT_MIN, 0, 1, INT_MAX - 7, INT_MAX};
  constexpr Field fields[] = {
#define FIELD(name, ...) &V::name,
#include "../config_fields.inc"
  };
  constexpr int judged = [&] {
    int refused = 0;
    for (Field first : fields) {
      for (Field second : fields) {
        for (long long a : extremes) {
          for (long long b : extremes) {
            ConfigValues values;
            values.*first = a;
            values.*second = b;
            if (values.first_violation(sm_120).rule != ConfigRule::none) ++refused;
          }
        }
      }
    }
    return refused;
  }();
  CHECK(judged > 500);
}

TEST_CASE("limits are those of the architecture, sm_120's for one that is not known") {
  CHECK(sm_90.smem_per_block == 232448);
  CHECK(sm_90.warps_per_sm == 64);
  CHECK(limits_of(121).smem_per_block == 101376);
  CHECK(sm_120.blocks_per_sm == 24);
  CHECK(limits_of(75).arch == 120);
#define ARCH(number, ...)                  \
  CHECK(limits_of(number).arch == number); \
  CHECK(limits_of(number).smem_per_sm == limits_of(number).smem_per_block + 1024);
#include "../archs.inc"
}

TEST_CASE("occupancy is the least of what warps, registers and shared memory allow") {
  CHECK(occupancy(sm_120, 4, 209, 99328).blocks == 1);
  CHECK(occupancy(sm_90, 4, 209, 99328).blocks == 2);
  CHECK(occupancy(sm_120, 4, 174, 33792).blocks == 2);
  CHECK(occupancy(sm_120, 4, 32, 1024).blocks == 12);
  CHECK(occupancy(sm_120, 1, 32, 1024).blocks == 24);
  CHECK(occupancy(sm_120, 9, 168, 65536).blocks == 1);
}
