// Prints docs/legal_configs.md: which configs are legal, and why the others are not, in the words
// of config_checks.h and with the shared memory of the kernels' own storage.
//
//   make docs/legal_configs.md
#include <cstdio>
#include <string>
#include <utility>

#include "../../tests/all_kernels.h"

namespace {

using V = ConfigValues;

struct Row {
  int stage;
  const char* heading;  // of the table that begins here; nullptr: the table goes on
  const char* fields;   // "BM=192 bk_stages=2": what differs from the start
  V values;
};

// What the rows start from: the defaults of stage 03, whatever its config.h says by now.
constexpr V start(int stage) {
  V v;
  v.M = v.N = v.K = 8192;
  v.swizzle = stage == 0 ? 0 : 128;
  v.bk_stages = stage >= 2 ? 3 : 1;
  v.wk_stages = stage == 3 ? 2 : 1;
  v.group_m = v.group_n = stage == 0 ? 1 : 8;
  v.producer_warps = stage == 2 ? 1 : 0;
  return v;
}

// What follows "NAME=" in `text`, if it begins with that.
constexpr const char* after_name(const char* name, const char* text) {
  while (*name != '\0' && *name == *text) ++name, ++text;
  return *name == '\0' && *text == '=' ? text + 1 : nullptr;
}

// `v` with other values for some fields.
constexpr V changed(V v, const char* fields) {
  while (*fields != '\0') {
    long long* value = nullptr;
    const char* digit = nullptr;
#define FIELD(name, ...)                                    \
  if (const char* const rest = after_name(#name, fields)) { \
    value = &v.name;                                        \
    digit = rest;                                           \
  }
#include "../../config_fields.inc"
    if (value == nullptr) throw "there is no such field";
    const int sign = *digit == '-' ? -1 : 1;
    if (sign < 0) ++digit;
    *value = 0;
    while (*digit >= '0' && *digit <= '9') *value = *value * 10 + sign * (*digit++ - '0');
    fields = *digit == ' ' ? digit + 1 : digit;
  }
  return v;
}

constexpr Row row(int stage, const char* heading, const char* fields = "") {
  return {stage, heading, fields, changed(start(stage), fields)};
}

constexpr Row rows[] = {
    row(0, "The defaults"),
    row(1, nullptr),
    row(2, nullptr),
    row(3, nullptr),

    row(3, "The problem", "M=1 N=1 K=8"),
    row(3, nullptr, "M=33 N=65 K=72"),
    row(3, nullptr, "M=200 N=137 K=72"),
    row(3, nullptr, "M=8191 N=4097 K=1032"),
    row(3, nullptr, "K=16"),
    row(3, nullptr, "K=4104"),
    row(3, nullptr, "K=4100"),
    row(3, nullptr, "K=1001"),
    row(3, nullptr, "K=4"),
    row(3, nullptr, "M=0"),
    row(3, nullptr, "N=-5"),
    row(3, nullptr, "M=65536 N=65536"),
    row(3, nullptr, "M=2147483647 N=128"),
    row(3, nullptr, "M=2147483647 N=65536"),

    row(3, "Tiles along M and N", "BM=32 BN=32"),
    row(3, nullptr, "BM=64"),
    row(3, nullptr, "BM=96"),
    row(3, nullptr, "BM=112"),
    row(3, nullptr, "BM=100"),
    row(3, nullptr, "BM=192"),
    row(3, nullptr, "BM=192 bk_stages=2"),
    row(3, nullptr, "BM=256"),
    row(3, nullptr, "BM=256 warps_per_block_m=4 bk_stages=2"),
    row(3, nullptr, "BM=256 BK=32 swizzle=64 warps_per_block_m=4"),
    row(3, nullptr, "BM=272"),
    row(3, nullptr, "BM=512"),
    row(3, nullptr, "BM=0"),
    row(3, nullptr, "BN=16"),
    row(3, nullptr, "BN=48"),
    row(3, nullptr, "BN=48 warps_per_block_n=1"),
    row(3, nullptr, "BN=256"),
    row(3, nullptr, "BN=256 warps_per_block_n=4 bk_stages=2"),
    row(3, nullptr, "BN=512"),
    row(3, nullptr, "BM=256 BN=256 BK=32 swizzle=64 warps_per_block_m=4 warps_per_block_n=4"),

    row(3, "Tiles along K, and swizzles", "BK=16"),
    row(3, nullptr, "BK=16 swizzle=32 wk_stages=1"),
    row(3, nullptr, "BK=16 swizzle=32"),
    row(3, nullptr, "BK=32"),
    row(3, nullptr, "BK=32 swizzle=64"),
    row(3, nullptr, "BK=32 swizzle=0"),
    row(3, nullptr, "BK=40 swizzle=0"),
    row(3, nullptr, "BK=48 swizzle=0"),
    row(3, nullptr, "BK=48"),
    row(3, nullptr, "BK=64 swizzle=64"),
    row(3, nullptr, "BK=64 swizzle=0"),
    row(3, nullptr, "BK=112 swizzle=0 bk_stages=1"),
    row(3, nullptr, "BM=64 BN=64 BK=112 swizzle=0 wk_stages=4"),
    row(3, nullptr, "BK=128"),
    row(3, nullptr, "BK=128 swizzle=0 bk_stages=1"),
    row(3, nullptr, "BK=256 swizzle=0 bk_stages=1 BM=64 BN=64"),
    row(3, nullptr, "BK=264 swizzle=0"),
    row(3, nullptr, "swizzle=16"),
    row(3, nullptr, "swizzle=48"),
    row(3, nullptr, "swizzle=256"),
    row(0, nullptr, "swizzle=128"),
    row(0, nullptr, "swizzle=32"),

    row(3, "Warps and blocks", "warps_per_block_m=1"),
    row(3, nullptr, "warps_per_block_m=1 warps_per_block_n=1"),
    row(3, nullptr, "warps_per_block_m=4"),
    row(3, nullptr, "warps_per_block_m=8"),
    row(3, nullptr, "warps_per_block_m=3"),
    row(3, nullptr, "warps_per_block_m=16"),
    row(3, nullptr, "warps_per_block_n=8"),
    row(3, nullptr, "warps_per_block_n=0"),
    row(3, nullptr, "warps_per_block_m=8 warps_per_block_n=4"),
    row(2, nullptr, "warps_per_block_m=8 warps_per_block_n=4"),
    row(3, nullptr, "warps_per_block_m=8 warps_per_block_n=8"),
    row(3, nullptr, "min_blocks_per_sm=2"),
    row(3, nullptr, "min_blocks_per_sm=2 BK=32 swizzle=64"),
    row(3, nullptr, "min_blocks_per_sm=3 BK=32 swizzle=64 bk_stages=2"),
    row(3, nullptr, "min_blocks_per_sm=2 warps_per_block_m=4 bk_stages=1"),
    row(3, nullptr, "min_blocks_per_sm=4 warps_per_block_m=4 bk_stages=1"),
    row(3, nullptr, "min_blocks_per_sm=12 BM=32 BN=32 bk_stages=1"),
    row(3, nullptr, "min_blocks_per_sm=13 BM=32 BN=32 bk_stages=1"),
    row(3, nullptr, "min_blocks_per_sm=25 BM=32 BN=32 bk_stages=1"),
    row(3, nullptr, "min_blocks_per_sm=33 BM=32 BN=32 bk_stages=1"),
    row(3, nullptr, "min_blocks_per_sm=0"),

    row(2, "Pipelines", "bk_stages=1"),
    row(2, nullptr, "bk_stages=4"),
    row(2, nullptr, "bk_stages=6"),
    row(2, nullptr, "bk_stages=7"),
    row(2, nullptr, "bk_stages=8"),
    row(2, nullptr, "bk_stages=0"),
    row(2, nullptr, "BM=32 BN=32 BK=16 swizzle=32 bk_stages=32"),
    row(2, nullptr, "BM=32 BN=32 BK=16 swizzle=32 bk_stages=33"),
    row(3, nullptr, "BM=64 BN=48 warps_per_block_m=1 warps_per_block_n=1 bk_stages=7"),
    row(3, nullptr, "BM=64 BN=64 bk_stages=6"),
    row(3, nullptr, "wk_stages=1"),
    row(3, nullptr, "wk_stages=3"),
    row(3, nullptr, "wk_stages=4"),
    row(3, nullptr, "wk_stages=5"),
    row(3, nullptr, "wk_stages=4 warps_per_block_m=4"),
    row(3, nullptr, "wk_stages=0"),
    row(2, nullptr, "BN=192 bk_stages=2"),
    row(2, nullptr, "BN=256 warps_per_block_n=4 bk_stages=2"),

    row(1, "The order of blocks", "group_m=1 group_n=1"),
    row(1, nullptr, "group_m=3 group_n=5"),
    row(1, nullptr, "group_m=1000000 group_n=1000000"),
    row(1, nullptr, "group_m=0"),
    row(1, nullptr, "group_n=-1"),
};
constexpr size_t row_count = sizeof rows / sizeof *rows;

// Row `i` as the fields of a config, for the storage of its stage.
template <size_t i>
struct RowFields {
#define FIELD(name, ...) static constexpr int name = rows[i].values.name;
#include "../../config_fields.inc"
  static constexpr int producer_warps = rows[i].values.producer_warps;
};

// Bytes of shared memory; 0 for a config that is illegal before its storage is looked at.
template <size_t i>
constexpr long long smem_bytes_of(int arch) {
  using Cfg = GemmConfig<RowFields<i>>;
  if constexpr (rows[i].values.first_violation(limits_of(90)).rule != ConfigRule::none) {
    return 0;
  } else {
    if (rows[i].values.first_violation(limits_of(arch)).rule != ConfigRule::none) return 0;
    switch (rows[i].stage) {
      case 0: return sizeof(stage_00::SharedStorage<Cfg>);
      case 1: return sizeof(stage_01::SharedStorage<Cfg>);
      case 2: return sizeof(stage_02::SharedStorage<Cfg>);
      default: return sizeof(stage_03::SharedStorage<Cfg>);
    }
  }
}

std::string verdict(const Row& row, int arch, long long smem_bytes) {
  V values = row.values;
  values.smem_bytes = smem_bytes;
  const Violation broken = values.first_violation(limits_of(arch));
  if (broken.rule == ConfigRule::none) return "legal: " + std::to_string(smem_bytes) + " bytes";
  return sentence_of(broken).text;
}

void print_row(const Row& row, long long smem_on_120, long long smem_on_90) {
  if (row.heading != nullptr) {
    std::printf("\n## %s\n\n| stage | fields | sm_120 | sm_90 |\n|---|---|---|---|\n", row.heading);
  }
  const std::string fields = row.fields;
  const std::string on_120 = verdict(row, 120, smem_on_120);
  const std::string on_90 = verdict(row, 90, smem_on_90);
  std::printf(
      "| 0%d | %s | %s | %s |\n", row.stage, fields.empty() ? "" : ("`" + fields + "`").c_str(),
      on_120.c_str(), on_90 == on_120 ? "the same" : on_90.c_str());
}

template <size_t... i>
void print_rows(std::index_sequence<i...>) {
  (print_row(rows[i], smem_bytes_of<i>(120), smem_bytes_of<i>(90)), ...);
}

}  // namespace

int main() {
  std::printf(
      "# Which configs are legal?\n"
      "\n"
      "%zu configs, judged by [common/config_rules.inc](../common/config_rules.inc) as make and "
      "the\n"
      "compiler judge them, with the shared memory that the kernels' own storage takes. A "
      "sentence\n"
      "names the first rule that a config breaks. sm_100 and sm_103 have the limits of sm_90; what "
      "is\n"
      "legal on sm_120 is legal on all of them.\n"
      "\n"
      "Fields that are not given: M, N and K are 8192, BM and BN 128, BK 64, the warps 2 x 2; "
      "bk_stages\n"
      "is 3 in stages 02 and 03, wk_stages 2 in 03; swizzle is 128 and the groups are 8 x 8, but "
      "for\n"
      "stage 00, which has neither; min_blocks_per_sm is 1.\n"
      "\n"
      "Written by `make docs/legal_configs.md`; do not edit.\n",
      row_count);
  print_rows(std::make_index_sequence<row_count>());
  return 0;
}
