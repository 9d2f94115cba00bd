// The command line of the benchmark.
#pragma once

#include <string>
#include <vector>

#include "../../host/options/options.h"

struct BenchOptions {
  Options run;             // inputs, seed, device
  int rounds = 5;          // in which the contestants take turns
  bool reproduce = false;  // each stage alone instead, as the article measures
  bool help = false;
  std::string csv;     // append the rows to this file, "" for none
  std::string folder;  // append them to <folder>/<card>.csv, "" for none
};

// Throws Refusal with one line that names the option, its value and what to do.
BenchOptions parse_bench_options(const std::vector<std::string>& arguments);

std::string bench_help_text();
