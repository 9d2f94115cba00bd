// describe<Cfg>(): the config of this build as plain values.
#pragma once

#include "../../block_swizzle.h"
#include "../../config.h"
#include "config_description.h"

// What the build passes with -D; a fuzzer or a test need not.
#ifndef STAGE_NAME
#define STAGE_NAME "kernel"
#endif
#ifndef CONFIG_FIELDS  // the names that the stage's config.h uses
#define CONFIG_FIELDS                                                                       \
  "M N K BM BN BK warps_per_block_m warps_per_block_n bk_stages wk_stages group_m group_n " \
  "swizzle min_blocks_per_sm"
#endif
#ifndef CONFIG_BREAK
#define CONFIG_BREAK ""
#endif
#ifndef KERNEL_HASH
#define KERNEL_HASH ""
#endif

// The macros above differ from build to build, and `make bench` links several: what reads them is
// static, or a template of the config.

// Whether `name` is a word of CONFIG_FIELDS.
static inline bool stage_has_field(const std::string& name) {
  const std::string words = std::string(" ") + CONFIG_FIELDS + " ";
  return words.find(" " + name + " ") != std::string::npos;
}

static inline bool is_overridden(const std::string& name) {
  for (const FieldOverride& given : field_overrides) {
    if (given.name != nullptr && name == given.name) return true;
  }
  return false;
}

// What the binary runs on: the archs it holds code for, or the one whose limits are emulated.
static inline std::vector<int> built_archs() {
#ifdef __CUDA_ARCH_LIST__
  std::vector<int> archs = {__CUDA_ARCH_LIST__};  // 900, 1200
  for (int& arch : archs) arch /= 10;
  return archs;
#else
  return {CONFIG_ARCH};
#endif
}

template <class Cfg>
TilePosition tile_position(int block) {
  // A stage without groups visits its tiles row by row.
  static const bool grouped = stage_has_field("group_m");
  const TileCoord tile = grouped ? block_swizzle<Cfg>(block) : row_major_tile<Cfg>(block);
  return {tile.m, tile.n};
}

template <class Cfg>
std::vector<ConfigField> stage_fields() {
  std::vector<ConfigField> fields;
  const auto add = [&](const char* name, int64_t value) {
    if (stage_has_field(name)) fields.push_back({name, value, is_overridden(name)});
  };
  add("M", Cfg::M);
  add("N", Cfg::N);
  add("K", Cfg::K);
  add("BM", Cfg::BM);
  add("BN", Cfg::BN);
  add("BK", Cfg::BK);
  add("warps_per_block_m", Cfg::warps_per_block_m);
  add("warps_per_block_n", Cfg::warps_per_block_n);
  add("bk_stages", Cfg::bk_stages);
  add("wk_stages", Cfg::wk_stages);
  add("group_m", Cfg::group_m);
  add("group_n", Cfg::group_n);
  add("swizzle", Cfg::swizzle);
  add("min_blocks_per_sm", Cfg::min_blocks_per_sm);
  return fields;
}

// `smem_bytes` is the dynamic shared memory of a block.
template <class Cfg>
ConfigDescription describe(size_t smem_bytes) {
  ConfigDescription config;
  config.stage = STAGE_NAME;
  config.kernel_hash = KERNEL_HASH;
  config.break_name = CONFIG_BREAK;
  config.fields = stage_fields<Cfg>();
  config.archs = built_archs();
  config.M = Cfg::M;
  config.N = Cfg::N;
  config.K = Cfg::K;
  config.BM = Cfg::BM;
  config.BN = Cfg::BN;
  config.BK = Cfg::BK;
  config.warps_per_block_m = Cfg::warps_per_block_m;
  config.warps_per_block_n = Cfg::warps_per_block_n;
  config.GM = Cfg::GM;
  config.GN = Cfg::GN;
  config.blocks = Cfg::blocks;
  config.threads = Cfg::threads;
  config.smem_bytes = smem_bytes;
  config.tile_of_block = tile_position<Cfg>;
  return config;
}
