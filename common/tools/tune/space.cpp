#include "space.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "../../block_swizzle.h"

namespace {

using Values = std::vector<long long>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a field may be; its present value alone where it is pinned or the stage lacks it.
Values choices(const Space& space, const FieldInfo& field) {
  const bool varies = contains(space.fields, field.name) && !contains(space.pinned, field.name);
  return varies && !field.tried.empty() ? field.tried : Values{space.base.*field.value};
}

// A stage without swizzle stays so: that is its lesson. Others take the one that its rows fill.
void choose_swizzle(const Space& space, ConfigValues& values) {
  const bool varies = contains(space.fields, "swizzle") && !contains(space.pinned, "swizzle");
  if (varies && space.base.swizzle != 0) values.swizzle = 2 * values.BK;
}

// Consumer warps spread evenly over the four schedulers of an SM.
bool has_even_warps(const ConfigValues& values) {
  const long long consumers = values.consumer_warps();
  return consumers % 4 == 0 && consumers <= 16;
}

// Accumulators, every set of fragments, and what addresses take at least.
long long least_registers(const ConfigValues& values) {
  const long long WM = values.WM(), WN = values.WN();
  constexpr long long addresses = 14;
  return WM * WN / 32 + values.wk_stages * (WM + WN) / 4 + addresses;
}

KernelModel model_of(const Space& space, const ConfigValues& values) {
  const int GM = static_cast<int>(values.GM());
  const int GN = static_cast<int>(values.GN());
  const int group_m = static_cast<int>(values.group_m);
  const int group_n = static_cast<int>(values.group_n);
  const bool grouped = contains(space.fields, "group_n");
  KernelModel model;
  model.values = values;
  model.registers = estimated_registers(values);
  model.tile_of_block = [=](int block) {
    if (!grouped) return TilePosition{block / GN, block % GN};
    const TileCoord tile = block_swizzle(block, GM, GN, group_m, group_n);
    return TilePosition{tile.m, tile.n};
  };
  return model;
}

// Predictions this close to each other say nothing about which is better.
constexpr double tflops_step = 1.02;

bool more_promising(const Candidate& a, const Candidate& b) {
  const double step_a = std::floor(std::log(a.tflops) / std::log(tflops_step));
  const double step_b = std::floor(std::log(b.tflops) / std::log(tflops_step));
  if (step_a != step_b) return step_a > step_b;
  return a.sm_clocks < b.sm_clocks;
}

// Configs of one kind have the same tiles and differ in the depth of their pipelines.
const std::vector<std::string> tile_fields = {
    "BK", "BM", "BN", "warps_per_block_m", "warps_per_block_n"};

std::string kind_of(const ConfigValues& values) { return config_line(values, tile_fields); }

// The fields to take one step in: first those that leave the tile as it is.
std::vector<std::string> stepped_fields() {
  std::vector<std::string> names;
  for (const bool combined : {true, false}) {
    for (const FieldInfo& field : config_fields()) {
      const bool is_stepped = field.combined == combined && !field.tried.empty();
      if (is_stepped && !contains(tile_fields, field.name)) names.push_back(field.name);
    }
  }
  names.insert(names.end(), {"BK", "BM", "BN"});
  return names;
}

// Everything worth trying, the fields that are only stepped as they are.
std::vector<ConfigValues> all_configs(const Space& space) {
  std::vector<ConfigValues> configs = {space.base};
  for (const FieldInfo& field : config_fields()) {
    if (!field.combined) continue;
    std::vector<ConfigValues> more;
    for (const ConfigValues& config : configs) {
      for (const long long value : choices(space, field)) {
        more.push_back(config);
        more.back().*field.value = value;
      }
    }
    configs = std::move(more);
  }
  std::vector<ConfigValues> worth;
  for (ConfigValues& config : configs) {
    choose_swizzle(space, config);
    if (is_worth_trying(space, config)) worth.push_back(config);
  }
  return worth;
}

}  // namespace

Space space_of(const ConfigDescription& config, const Card& card) {
  Space space;
  space.base = config;
  space.card = card;
  for (const ConfigField& field : config.fields) {
    if (field.name == "M" || field.name == "N" || field.name == "K") continue;
    space.fields.push_back(field.name);
    if (field.overridden) space.pinned.push_back(field.name);
  }
  return space;
}

bool is_worth_trying(const Space& space, ConfigValues& values) {
  if (find_violation(space, values).rule != ConfigRule::none) return false;
  if (!has_even_warps(values)) return false;
  return least_registers(values) <= std::min(255LL, values.registers_available());
}

Candidate predicted(const Space& space, const ConfigValues& values) {
  const KernelModel model = model_of(space, values);
  const Prediction prediction = predict(model, space.card, space.card.clock_mhz);
  Candidate candidate;
  candidate.values = values;
  candidate.registers = model.registers;
  candidate.tflops = prediction.tflops;
  // Per FLOP: tiles differ in size.
  const double flops = 2.0 * values.BM * values.BN * values.BK;
  candidate.sm_clocks = (prediction.pipes.l2 + prediction.pipes.shared_memory) / flops;
  return candidate;
}

std::vector<Candidate> ranked_candidates(const Space& space) {
  std::vector<Candidate> candidates;
  for (const ConfigValues& values : all_configs(space)) {
    const Candidate candidate = predicted(space, values);
    if (candidate.tflops > 0) candidates.push_back(candidate);
  }
  std::stable_sort(candidates.begin(), candidates.end(), more_promising);

  std::map<std::string, size_t> seen;  // of each kind
  std::vector<std::vector<Candidate>> rounds;
  for (const Candidate& candidate : candidates) {
    const size_t round = seen[kind_of(candidate.values)]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(candidate);
  }
  std::vector<Candidate> ranked;
  for (const auto& round : rounds) ranked.insert(ranked.end(), round.begin(), round.end());
  return ranked;
}

std::vector<ConfigValues> neighbours(const Space& space, const ConfigValues& values) {
  std::vector<ConfigValues> found;
  const auto add = [&](ConfigValues changed) {
    choose_swizzle(space, changed);
    if (key_of(space, changed) == key_of(space, values)) return;
    if (is_worth_trying(space, changed)) found.push_back(changed);
  };
  // The values next to the present one.
  const auto steps = [&](const std::string& name) {
    const FieldInfo& field = field_named(name);
    const long long now = values.*field.value;
    const Values all = choices(space, field);
    const auto above = std::upper_bound(all.begin(), all.end(), now);
    const auto below = std::lower_bound(all.begin(), all.end(), now);
    Values near;
    if (above != all.end()) near.push_back(*above);
    if (below != all.begin()) near.push_back(*std::prev(below));
    return near;
  };
  for (const std::string& name : stepped_fields()) {
    for (const long long value : steps(name)) {
      ConfigValues changed = values;
      changed.*field_named(name).value = value;
      add(changed);
    }
  }
  for (const long long warps_m : choices(space, field_named("warps_per_block_m"))) {
    for (const long long warps_n : choices(space, field_named("warps_per_block_n"))) {
      ConfigValues changed = values;
      changed.warps_per_block_m = warps_m;
      changed.warps_per_block_n = warps_n;
      add(changed);
    }
  }
  // Halving a tile along K leaves room for twice the buffers.
  for (const long long BK : steps("BK")) {
    for (const long long bk_stages : choices(space, field_named("bk_stages"))) {
      ConfigValues changed = values;
      changed.BK = BK;
      changed.bk_stages = bk_stages;
      if (bk_stages * BK == values.bk_stages * values.BK) add(changed);
    }
  }
  return found;
}

std::string key_of(const Space& space, const ConfigValues& values) {
  return config_line(values, space.fields);
}
