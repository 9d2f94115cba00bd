#include "bench_options.h"

#include "../../host/support/refusal.h"

namespace {

std::vector<OptionRule> option_rules(BenchOptions& options) {
  return {
      flag("--reproduce", options.reproduce, "each stage alone instead, as the article does"),
      flag("--curve", options.curve, "the last stage from its start on instead, after others"),
      number_option("--rounds", options.rounds, 1, 999, "in which the contestants take turns (5)"),
      number_option(
          "--order-seed", options.order_seed, 0, UINT64_MAX, "draws their order in each round (1)"),
      number_option(
          "--seconds", options.seconds, 1, 86400,
          "for steady rounds of a size; three are measured anyway (110)"),
      inputs_option(options.run, "(uniform)"),
      seed_option(options.run, "seed of the inputs (1)"),
      device_option(options.run, "which GPU, by CUDA's number (0)"),
      text_option("--csv", "FILE", options.csv, "append a row for each contestant and size"),
      text_option("--folder", "FOLDER", options.folder, "the same to FOLDER/<card>.csv"),
      flag("--help", options.help, "print this and do nothing else"),
  };
}

}  // namespace

BenchOptions parse_bench_options(const std::vector<std::string>& arguments) {
  BenchOptions options;
  parse_arguments(option_rules(options), arguments);
  if (options.reproduce && options.curve) {
    throw Refusal("--reproduce --curve: both take the benchmark's place; give one of the two");
  }
  if (!options.csv.empty() && !options.folder.empty()) {
    throw Refusal("--csv --folder: both say where the rows go; give one of the two");
  }
  return options;
}

std::string bench_help_text() {
  BenchOptions options;
  return "usage: build/bench/run [options]     (make bench builds it and runs it)\n\n"
         "Times all stages and what they are compared with in steady state, in turn, each "
         "verified\n"
         "before and after.\n\n" +
         help_rows(option_rules(options)) +
         "\nExit status: 0 measured, 1 wrong result, 2 refused. Only 0 writes rows.\n";
}
