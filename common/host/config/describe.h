// describe<Cfg>(): the config of this build as plain values.
#pragma once

#include "../../block_swizzle.h"
#include "../../config.h"
#include "config_description.h"
#include "config_values.h"

// What the build passes with -D; a fuzzer or a test need not.
#ifndef STAGE_NAME
#define STAGE_NAME "kernel"
#endif
#ifndef CONFIG_FIELDS  // the names that the stage's config.h uses; "": all that there are
#define CONFIG_FIELDS ""
#endif
#ifndef CONFIG_PRESET
#define CONFIG_PRESET ""
#endif
#ifndef CONFIG_BREAK
#define CONFIG_BREAK ""
#endif
#ifndef KERNEL_HASH
#define KERNEL_HASH ""
#endif

// The macros above differ from build to build, and `make bench` links several: what reads them is
// static, or a template of the config.

static inline bool stage_has_field(const std::string& name) {
  const std::string words = CONFIG_FIELDS;
  return words.empty() || (" " + words + " ").find(" " + name + " ") != std::string::npos;
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

static inline std::vector<ConfigField> stage_fields(const ConfigValues& values) {
  std::vector<ConfigField> fields;
  for (const FieldInfo& field : config_fields()) {
    if (!stage_has_field(field.name)) continue;
    fields.push_back({field.name, values.*field.value, is_overridden(field.name)});
  }
  return fields;
}

// `smem_bytes` is the dynamic shared memory of a block.
template <class Cfg>
ConfigDescription describe(size_t smem_bytes) {
  ConfigDescription config;
  ConfigValues& values = config;
  values = config_values<Cfg>(static_cast<long long>(smem_bytes));
  config.stage = STAGE_NAME;
  config.kernel_hash = KERNEL_HASH;
  config.fields = stage_fields(values);
  config.archs = built_archs();
  config.preset = CONFIG_PRESET;
  config.break_name = CONFIG_BREAK;
  config.tile_of_block = tile_position<Cfg>;
  return config;
}
