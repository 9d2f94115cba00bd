// The command line of the benchmark.
#pragma once

#include <string>
#include <vector>

#include "../../host/options/options.h"

struct BenchOptions {
  Options run;              // inputs, seed, device
  int rounds = 5;           // in which the contestants take turns, in an order drawn for each
  uint64_t order_seed = 1;  // by which it is drawn
  int seconds = 110;        // for rounds in steady state at one size; three are measured anyway
  bool reproduce = false;   // each stage alone instead, as the article measures
  bool curve = false;       // instead: how the last stage begins after others
  bool help = false;
  std::string csv;     // append the rows to this file, "" for none
  std::string folder;  // append them to <folder>/<card>.csv, "" for none
};

// Throws Refusal with one line that names the option, its value and what to do.
BenchOptions parse_bench_options(const std::vector<std::string>& arguments);

std::string bench_help_text();
