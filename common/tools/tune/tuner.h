// The tuner of one stage: `make tune`.
#pragma once

#include <string>
#include <vector>

#include "../../host/config/config_description.h"

struct TuneOptions {
  double minutes = 6;
  std::string nvcc = "nvcc";
  std::string work = "build/tune";  // folder for compiled kernels
  std::string data = "plots/data";  // folder of the results
  std::string configs;              // a file with one config a line, instead of a search
  std::string card = "h200";        // for --list and --compile: which known card
  int list = 0;                     // print so many candidates, and do nothing else
  int compile = 0;                  // compile so many, compare registers, and do nothing else
  bool help = false;
};

// Throws Refusal for what it does not know.
TuneOptions parse_tune_options(const std::vector<std::string>& arguments);

// Searches, writes plots/data/tune_<card>.csv and <stage>/<card>.preset. `kernel` is that of the
// stage's config. Returns the exit status: 0, or 1 if a legal config gave a wrong product. Throws
// Refusal.
int tune(const ConfigDescription& config, const void* kernel, const TuneOptions& options);
