#include "draw.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../../host/device/inputs.h"

namespace {

using Field = long long ConfigValues::*;

// Fields whose legal values depend on each other. What this file does not name, as a field of
// tomorrow, is drawn from its range and varied alone.
constexpr Field varied_together[] = {
    &ConfigValues::M,
    &ConfigValues::N,
    &ConfigValues::K,
    &ConfigValues::BM,
    &ConfigValues::BN,
    &ConfigValues::BK,
    &ConfigValues::swizzle,
    &ConfigValues::warps_per_block_m,
    &ConfigValues::warps_per_block_n};
constexpr Field sizes[] = {&ConfigValues::M,       &ConfigValues::N,      &ConfigValues::K,
                           &ConfigValues::BM,      &ConfigValues::BN,     &ConfigValues::BK,
                           &ConfigValues::group_m, &ConfigValues::group_n};

template <size_t n>
bool is_one_of(const FieldInfo& field, const Field (&fields)[n]) {
  return std::find(fields, fields + n, field.value) != fields + n;
}

long long round_up(long long value, long long unit) { return (value + unit - 1) / unit * unit; }

// Random numbers of one config.
class Dice {
 public:
  Dice(uint64_t seed, uint64_t index) : state_(mix_bits(mix_bits(seed) + index)) {}

  // lowest <= result <= highest, each as likely.
  long long between(long long lowest, long long highest) {
    state_ = mix_bits(state_);
    return lowest + static_cast<long long>(state_ % static_cast<uint64_t>(highest - lowest + 1));
  }
  bool one_in(long long n) { return between(1, n) == 1; }

  // Any of them, and each end as often as all that lies between.
  long long with_ends(long long lowest, long long highest) {
    if (one_in(4)) return lowest;
    return one_in(4) ? highest : between(lowest, highest);
  }

  template <class T, size_t n>
  T pick(const T (&choices)[n]) {
    return choices[between(0, n - 1)];
  }

 private:
  uint64_t state_;
};

// A size of the problem along a tile of `tile`: tiles that fit, tiles that do not by one element,
// less than a tile, and 1.
long long draw_extent(Dice& dice, long long tile, long long most_tiles) {
  const long long tiles = dice.between(1, most_tiles);
  switch (dice.between(0, 6)) {
    case 0: return 1;
    case 1: return dice.between(1, tile);
    case 2: return tiles * tile;
    case 3: return tiles * tile + 1;
    case 4: return std::max(1LL, tiles * tile - 1);
    default: return dice.between(1, tiles * tile);
  }
}

// K, a multiple of 8: fewer k-tiles than buffers, as many, a few more, several laps.
long long draw_depth(Dice& dice, long long BK, long long bk_stages, long long most_tiles) {
  const long long around[] = {
      1, bk_stages - 1, bk_stages, bk_stages + 1, 2 * bk_stages + 1, 3 * bk_stages};
  const long long some = dice.one_in(2) ? dice.pick(around) : dice.between(1, most_tiles);
  const long long tiles = std::clamp(some, 1LL, std::max(most_tiles, 3 * bk_stages));
  switch (dice.between(0, 7)) {
    case 0: return 8 * dice.between(1, BK / 8);
    case 1:
    case 2: return tiles * BK;
    default: return (tiles - 1) * BK + 8 * dice.between(1, BK / 8);
  }
}

void draw_tile(Dice& dice, ConfigValues& v) {
  constexpr long long swizzles[] = {0, 0, 32, 64, 128};
  constexpr long long warps[] = {1, 1, 2, 2, 2, 3, 4, 4, 5, 8};
  v.swizzle = dice.pick(swizzles);
  v.BK = v.swizzle != 0 ? v.swizzle / 2 : 16 * dice.with_ends(1, dice.one_in(2) ? 8 : 16);
  v.warps_per_block_m = dice.pick(warps);
  v.warps_per_block_n = dice.pick(warps);
  v.BM = 16 * v.warps_per_block_m * dice.with_ends(1, 16 / v.warps_per_block_m);
  v.BN = 16 * v.warps_per_block_n * dice.with_ends(1, 16 / v.warps_per_block_n);
}

void draw_pipeline(Dice& dice, ConfigValues& v) {
  v.bk_stages = dice.one_in(10) ? dice.between(7, 32) : dice.between(1, 6);
  v.wk_stages = dice.with_ends(1, v.BK / 16);
  v.min_blocks_per_sm = dice.one_in(2) ? 1 : dice.between(1, 6);
}

// Groups of one tile, of some, of the grid, and larger than it.
long long draw_group(Dice& dice, long long tiles) {
  return dice.one_in(8) ? dice.between(1, 1000) : dice.between(1, tiles + 2);
}

// The fields that a stage does not have keep their values.
void keep_plain(const FuzzedStage& stage, ConfigValues& v) {
  for (const FieldInfo& field : config_fields()) {
    if (!stage.has(field.name)) v.*field.value = stage.plain.*field.value;
  }
  v.producer_warps = stage.plain.producer_warps;
  v.smem_bytes = 0;
}

// Any value of its range for each field; of one without an upper limit, a small one. Most fields
// are then drawn again with more thought.
void draw_ranges(Dice& dice, ConfigValues& v) {
  constexpr long long small = 16;
  for (const FieldInfo& field : config_fields()) {
    const long long least = field.least.value_or(std::min(0LL, field.most.value_or(0)));
    v.*field.value = dice.with_ends(least, field.most.value_or(least + small));
  }
}

ConfigValues draw_any(const FuzzedStage& stage, Dice& dice, Dice& ranges) {
  ConfigValues v;
  draw_ranges(ranges, v);
  draw_tile(dice, v);
  draw_pipeline(dice, v);
  keep_plain(stage, v);
  // A large grid or many k-tiles: both at once would take too long.
  const bool deep = dice.one_in(2);
  const long long most_tiles = deep ? 2 : stage.most_tiles;
  v.M = draw_extent(dice, v.BM, most_tiles);
  v.N = draw_extent(dice, v.BN, most_tiles);
  if (dice.one_in(4)) {  // a kernel without a test for the edge
    v.M = v.BM * dice.between(1, most_tiles);
    v.N = v.BN * dice.between(1, most_tiles);
  }
  v.K = draw_depth(dice, v.BK, v.bk_stages, deep ? 4 * stage.most_tiles : 3);
  v.group_m = draw_group(dice, v.GM());
  v.group_n = draw_group(dice, v.GN());
  keep_plain(stage, v);
  return v;
}

// Another tile size, and a problem with as many tiles that is cut off at the edge as before.
long long resized(long long extent, long long tile, long long new_tile) {
  const long long tiles = (extent - 1) / tile + 1;
  const long long missing = tiles * tile - extent;
  return std::max((tiles - 1) * new_tile + 1, tiles * new_tile - missing);
}

// What is true of M as of N.
struct Axis {
  Field extent, tile, warps;
};
constexpr Axis axes[] = {
    {&ConfigValues::M, &ConfigValues::BM, &ConfigValues::warps_per_block_m},
    {&ConfigValues::N, &ConfigValues::BN, &ConfigValues::warps_per_block_n}};

void set_tile(ConfigValues& v, const Axis& axis, long long tile) {
  v.*axis.extent = resized(v.*axis.extent, v.*axis.tile, tile);
  v.*axis.tile = tile;
}

void set_BK(ConfigValues& v, long long BK, long long swizzle) {
  v.K = round_up(resized(v.K, v.BK, BK), 8);
  v.wk_stages = std::min(v.wk_stages, BK / 16);
  v.BK = BK;
  v.swizzle = swizzle;
}

// Variations of one kind. Legal or not, simpler or not: simpler_configs() sorts that out.
std::vector<ConfigValues> variations(const ConfigValues& v) {
  std::vector<ConfigValues> all;
  const auto with = [&](auto change) {
    ConfigValues varied = v;
    change(varied);
    all.push_back(varied);
  };
  const auto with_values = [&](Field field, std::vector<long long> values) {
    for (const long long value : values) with([&](ConfigValues& w) { w.*field = value; });
  };

  for (const Axis& axis : axes) {
    const long long extent = v.*axis.extent, tile = v.*axis.tile, warps = v.*axis.warps;
    with_values(axis.extent, {1, tile, tile + 1, 2 * tile, extent / 2, extent - 1, extent - tile});
    for (const long long smaller : {16 * warps, tile / 2, tile - 16 * warps}) {
      if (smaller > 0) with([&](ConfigValues& w) { set_tile(w, axis, smaller); });
    }
    for (const long long fewer : {1LL, warps / 2, warps - 1}) {
      if (fewer < 1) continue;
      with([&](ConfigValues& w) { w.*axis.warps = fewer; });
      with([&](ConfigValues& w) {
        w.*axis.warps = fewer;
        set_tile(w, axis, tile / warps * fewer);
      });
    }
  }
  with_values(
      &ConfigValues::K, {8, v.BK, 2 * v.BK, v.BK * v.bk_stages, v.BK * (v.bk_stages + 1),
                         v.K / 16 * 8, v.K - 8, v.K - v.BK});
  for (const long long BK : {16LL, v.BK / 2, v.BK - 16}) {
    if (BK < 16) continue;
    with([&](ConfigValues& w) { set_BK(w, BK, 0); });
    with([&](ConfigValues& w) { set_BK(w, BK, 2 * BK); });
  }
  with_values(&ConfigValues::swizzle, {0});
  for (const FieldInfo& field : config_fields()) {
    if (is_one_of(field, varied_together)) continue;
    const long long value = v.*field.value;
    with_values(field.value, {field.least.value_or(0), 2, value / 2, value - 1});
  }
  return all;
}

}  // namespace

bool FuzzedStage::has(const std::string& field) const {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

int64_t mma_count(const ConfigValues& v) {
  const long long k_steps = v.k_tiles() * (v.BK / 16);
  return v.blocks() * (v.BM / 16) * (v.BN / 8) * k_steps;
}

bool is_drawable(const FuzzedStage& stage, ConfigValues values) {
  return find_violation(stage.limits, values).rule == ConfigRule::none &&
         mma_count(values) <= stage.most_mma;
}

ConfigValues draw_config(const FuzzedStage& stage, uint64_t seed, uint64_t index) {
  Dice dice(seed, index), ranges(~seed, index);
  for (int attempt = 0; attempt < 100000; attempt++) {
    const ConfigValues values = draw_any(stage, dice, ranges);
    if (is_drawable(stage, values)) return values;
  }
  throw std::runtime_error("no legal config was drawn: the rules allow none of the usual ones");
}

// A size counts by its doublings, any other value by how far it is from the least.
double complexity(const ConfigValues& v) {
  double sum = 0;
  for (const FieldInfo& field : config_fields()) {
    const long long value = v.*field.value;
    if (field.value == &ConfigValues::swizzle) {
      sum += value != 0;
    } else if (is_one_of(field, sizes)) {
      sum += std::log2(static_cast<double>(value));
    } else {
      sum += static_cast<double>(std::abs(value - field.least.value_or(0)));
    }
  }
  return sum;
}

std::vector<ConfigValues> simpler_configs(const FuzzedStage& stage, const ConfigValues& values) {
  std::vector<ConfigValues> simpler;
  for (ConfigValues varied : variations(values)) {
    keep_plain(stage, varied);
    if (!is_drawable(stage, varied)) continue;
    if (complexity(varied) < complexity(values) - 1e-6) simpler.push_back(varied);
  }
  std::stable_sort(simpler.begin(), simpler.end(), [](const auto& a, const auto& b) {
    return complexity(a) < complexity(b);
  });
  return simpler;
}

ConfigValues parse_config(const FuzzedStage& stage, const std::string& line) {
  ConfigValues values;
  values.BM = values.BN = values.BK = 32;
  values.warps_per_block_m = values.warps_per_block_n = 1;
  const std::string fault = read_config_line(line, all_fields(), values);
  if (!fault.empty()) throw std::invalid_argument(fault);
  keep_plain(stage, values);
  const Violation broken = find_violation(stage.limits, values);
  if (broken.rule == ConfigRule::none) return values;
  throw std::invalid_argument(line + ": " + sentence_of(broken).text);
}
