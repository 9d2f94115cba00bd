// What is to be tried, and what of it can be seen without a GPU: `tune --list`, `tune --compile`.
#pragma once

#include "../../host/device/device.h"
#include "compile.h"
#include "tune_options.h"

// How far the estimates of registers are off.
class RegisterCheck {
 public:
  void add(const Compiled& compiled);
  std::string text() const;

 private:
  int count_ = 0, sum_ = 0, most_ = 0, spilling_ = 0;
};

// The known card of that name in file names. Throws Refusal if there is none.
Card card_named(const std::string& file);

// The card of a device; one that is not known is taken for the known one of its architecture, which
// is good enough to put candidates in order.
Card card_for(const Device& device);

// The configs of a file, one a line; what a line leaves out is as in the stage's config. Nothing
// without a file. Throws Refusal where one is illegal.
std::optional<std::vector<ConfigValues>> fixed_configs(const Space& space, const std::string& path);

// Makes the folders. Throws Refusal if it cannot.
CompileRules compile_rules(
    const ConfigDescription& config,
    const Space& space,
    const TuneOptions& options);

// So many compile at once that a core is left.
int compiler_threads();

// Prints the most promising configs.
void list_candidates(const Space& space, int count);

// Compiles them, and prints their registers beside the estimates.
void compile_candidates(const Space& space, const CompileRules& rules, int count);
