// The command line of `run`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../emulator/emulator.h"
#include "option_parser.h"

enum class Backend { cuda, emulator };
enum class Inputs { integers, uniform, normal };
using emulator::LandingSchedule;

const char* name_of(Backend backend);
const char* name_of(Inputs inputs);
const char* name_of(LandingSchedule schedule);

struct Options {
  bool check = false;    // verify only
  bool bench = false;    // insist on the benchmark
  bool explain = false;  // predict, and on a GPU measure as well
  bool help = false;
  int launches = 1;
  uint64_t seed = 1;
  Inputs inputs = Inputs::uniform;
  LandingSchedule schedule = LandingSchedule::eager;
  int schedules = 0;      // number of seeds to try, 0: just one launch of `schedule`
  int device = 0;         // CUDA's number
  std::string json, csv;  // output files, "" for none; json may be "-"
  std::string trace;      // the same: the emulator's timeline
};

// Parses the arguments after the program's name for a build of `backend`.
// Throws Refusal with one line that names the option, its value and what to do.
Options parse_options(const std::vector<std::string>& arguments, Backend backend);

// The options that a benchmark has as well.
OptionRule seed_option(Options& options, const char* help);
OptionRule inputs_option(Options& options, const char* help);
OptionRule device_option(Options& options, const char* help);

// What --help prints. Lists all options, and says which ones only one backend has.
std::string help_text(const std::string& stage, Backend backend);
