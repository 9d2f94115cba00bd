// The command line of a tuner.
#pragma once

#include <string>
#include <vector>

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

std::string tune_help_text();
