// Is the config of a stage legal? Compiled and run by make before the kernel is, for one sentence
// instead of a page of template errors.
//
//   preflight                                       silent and 0, or a sentence and 1
//   preflight row ARCH REGISTERS STACK SPILL_STORES SPILL_LOADS   a row of `make resources`
//
// make includes the stage's config.h and kernel.cuh before this file; the kernel knows the size of
// the shared storage.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../config_checks.h"

// sizeof(SharedStorage<Cfg>), or 0 for a config that is illegal before its storage is looked at.
template <class Cfg>
constexpr long long smem_bytes_of() {
  if constexpr (
      config_values<Cfg>().first_violation(limits_of(CONFIG_ARCH)).rule == ConfigRule::none) {
    return static_cast<long long>(sizeof(SharedStorage<GemmConfig<Cfg>>));
  } else {
    return 0;
  }
}

static int print_row(char** argv) {
  const ArchLimits limits = limits_of(atoi(argv[2]));
  const int registers = atoi(argv[3]);
  const int stack = atoi(argv[4]);
  const int spills = atoi(argv[5]) + atoi(argv[6]);
  const int smem = static_cast<int>(smem_bytes_of<Fields>());
  // Of the values: GemmConfig's int overflows where a field is huge, and that is for the rules to
  // say.
  const int warps = static_cast<int>(config_values<Fields>().warps());
  const Occupancy sm = occupancy(limits, warps, registers, smem);
  printf(
      "%-20s %6s %9d %11d %11d %11d %11d %9d %8d\n", STAGE_NAME, argv[2], registers, spills, stack,
      smem, limits.smem_per_block, sm.blocks, sm.warps);
  return spills + stack == 0 ? 0 : 1;
}

// The archs, newest last, on which nothing is wrong with this config.
static void print_other_archs(long long smem_bytes) {
  const char* comma = " (legal with ARCH=";
#define ARCH(number, ...)                                                          \
  if (config_values<Fields>(smem_bytes).first_violation(limits_of(number)).rule == \
      ConfigRule::none) {                                                          \
    fprintf(stderr, "%s%da", comma, number);                                       \
    comma = ", ";                                                                  \
  }
#include "../../archs.inc"
  fputs(*comma == ',' ? ").\n" : ".\n", stderr);
}

int main(int argc, char** argv) {
  constexpr long long smem_bytes = smem_bytes_of<Fields>();
  const Violation broken =
      config_values<Fields>(smem_bytes).first_violation(limits_of(CONFIG_ARCH));
  if (broken.rule != ConfigRule::none) {
    fprintf(stderr, "%s, sm_%d: %s", STAGE_NAME, CONFIG_ARCH, sentence_of(broken).text);
    print_other_archs(smem_bytes);
    return 1;
  }
  if (argc == 1) return 0;
  if (argc == 7 && strcmp(argv[1], "row") == 0) return print_row(argv);
  fprintf(stderr, "%s: ptxas has not said what the kernel needs.\n", STAGE_NAME);
  return 2;
}
