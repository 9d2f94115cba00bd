// Which configs are worth trying, and in what order? No GPU is needed to say so.
#pragma once

#include <string>
#include <vector>

#include "../../host/config/config_values.h"
#include "../../host/explain/cards.h"
#include "../../host/explain/explain.h"

// What may vary: the fields that the stage has, without the problem's and without those that the
// command line gave.
struct Space {
  ConfigValues base;                // the build's config; its smem_bytes is not used
  std::vector<std::string> fields;  // all of the stage but M, N and K, in the order of its config.h
  std::vector<std::string> pinned;  // those of them that stay as they are
  Card card;                        // predictions are for this one
};

Space space_of(const ConfigDescription& config, const Card& card);

struct Candidate {
  ConfigValues values;
  int registers = 0;     // per thread, estimated
  double tflops = 0;     // predicted, at the card's clock
  double sm_clocks = 0;  // of the L2 and of shared memory: where predictions agree, less is better
};

// The rule that a config breaks on the card. Fills in smem_bytes.
inline Violation find_violation(const Space& space, ConfigValues& values) {
  return find_violation(limits_of(space.card.arch), values);
}

// Legal on the card, with registers that are likely to suffice. Fills in smem_bytes.
bool is_worth_trying(const Space& space, ConfigValues& values);

// Everything worth trying, the most promising first; of configs that differ only in how deep their
// pipelines are, first the best of each kind, then the second best of each, and so on.
std::vector<Candidate> ranked_candidates(const Space& space);

// The config with its prediction. It must be worth trying.
Candidate predicted(const Space& space, const ConfigValues& values);

// What is worth trying and differs from `values` by one step in one field, or by two fields that
// only make sense together.
std::vector<ConfigValues> neighbours(const Space& space, const ConfigValues& values);

// "BM=128 BN=256 ...": the name of a config in files.
std::string key_of(const Space& space, const ConfigValues& values);
