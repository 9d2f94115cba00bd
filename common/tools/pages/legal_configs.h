// Rows of docs/legal_configs.md, for one stage. legal_configs.sh writes the program, which includes
// the stage's config.h and kernel.cuh, then this, and prints a row for each config of the stage.
#pragma once

#include <cstdio>
#include <string>

#include "../../config_checks.h"

#ifndef STAGE_NAME
#define STAGE_NAME "NN_stage"
#endif

// What a kernel.cuh has.
template <class Cfg>
struct SharedStorage;

// Bytes of the kernel's storage; 0 for a config that is illegal before its storage is looked at.
template <class F>
constexpr long long storage_bytes() {
  if constexpr (config_values<F>().first_violation(limits_of(90)).rule == ConfigRule::none) {
    return static_cast<long long>(sizeof(SharedStorage<GemmConfig<F>>));
  } else {
    return 0;
  }
}

template <class F>
std::string verdict(int arch) {
  ConfigValues values = config_values<F>();
  if (values.first_violation(limits_of(arch)).rule == ConfigRule::none) {
    values.smem_bytes = storage_bytes<F>();
  }
  const Violation broken = values.first_violation(limits_of(arch));
  if (broken.rule != ConfigRule::none) return sentence_of(broken).text;
  return "legal: " + std::to_string(values.smem_bytes) + " bytes";
}

// The row for F, which differs from the start by `fields`.
template <class F>
void print_row(const char* fields) {
  const std::string on_120 = verdict<F>(120);
  const std::string on_90 = verdict<F>(90);
  std::printf(
      "| %.2s | %s | %s | %s |\n", STAGE_NAME, fields, on_120.c_str(),
      on_90 == on_120 ? "the same" : on_90.c_str());
}
