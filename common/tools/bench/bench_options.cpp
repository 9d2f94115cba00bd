#include "bench_options.h"

#include <cctype>
#include <cstdlib>

#include "../../host/support/refusal.h"
#include "../../host/support/text.h"

namespace {

int parse_rounds(const std::string& text) {
  bool good = !text.empty() && text.size() <= 3;
  for (const char c : text) good = good && std::isdigit(static_cast<unsigned char>(c));
  const int rounds = good ? std::atoi(text.c_str()) : 0;
  if (rounds < 1) {
    throw Refusal(format("--rounds %s: give a whole number from 1 to 999", text.c_str()));
  }
  return rounds;
}

// Whether this is an option of `run` that means the same here.
bool is_shared(const std::string& name) {
  return name == "--inputs" || name == "--seed" || name == "--device";
}

}  // namespace

BenchOptions parse_bench_options(const std::vector<std::string>& arguments) {
  BenchOptions options;
  std::vector<std::string> shared;
  for (size_t i = 0; i < arguments.size(); i++) {
    const size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(0, equals);
    if (name == "--reproduce" && equals == std::string::npos) {
      options.reproduce = true;
      continue;
    }
    if (name == "--help" && equals == std::string::npos) {
      options.help = true;
      continue;
    }
    const bool known = is_shared(name) || name == "--rounds" || name == "--csv" ||
                       name == "--folder" || name == "--commit";
    if (!known) {
      throw Refusal(format("%s: no such option; --help lists them", arguments[i].c_str()));
    }
    std::string value;
    if (equals != std::string::npos) {
      value = arguments[i].substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    // An empty commit is what a checkout without git has.
    if (name != "--commit" && (value.empty() || value.rfind("--", 0) == 0)) {
      throw Refusal(format("%s: a value must follow", name.c_str()));
    }
    if (is_shared(name)) shared.push_back(name + "=" + value);
    if (name == "--rounds") options.rounds = parse_rounds(value);
    if (name == "--csv") options.csv = value;
    if (name == "--folder") options.folder = value;
    if (name == "--commit") options.commit = value;
  }
  if (!options.csv.empty() && !options.folder.empty()) {
    throw Refusal("--csv --folder: both say where the rows go; give one of the two");
  }
  options.run = parse_options(shared, Backend::cuda);
  return options;
}

std::string bench_help_text() {
  return "usage: build/bench/run [options]     (make bench builds it and runs it)\n\n"
         "Times all stages and what they are compared with, in turn, each verified before and\n"
         "after.\n\n"
         "  --reproduce                          each stage alone instead, as the article does\n"
         "  --rounds N                           in which the contestants take turns (5)\n"
         "  --inputs integers|uniform|normal     (uniform)\n"
         "  --seed N                             seed of the inputs (1)\n"
         "  --device N                           which GPU, by CUDA's number (0)\n"
         "  --csv FILE                           append a row for each contestant and size\n"
         "  --folder FOLDER                      the same to FOLDER/<card>.csv\n"
         "  --commit TEXT                        what stands in the column of that name\n"
         "  --help                               print this and do nothing else\n\n"
         "Exit status: 0 measured, 1 wrong result, 2 refused. Only 0 writes rows.\n";
}
