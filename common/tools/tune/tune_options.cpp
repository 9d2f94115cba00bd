#include "tune_options.h"

#include "../../host/options/option_parser.h"
#include "../../host/support/refusal.h"
#include "../../host/support/text.h"

namespace {

std::vector<OptionRule> option_rules(TuneOptions& options) {
  const auto set_minutes = [&options](const std::string& value) {
    options.minutes = number_in(value);
    if (!(options.minutes > 0)) throw Refusal("BUDGET=" + value + ": give a number of minutes");
  };
  constexpr int many = 1000000;
  return {
      {"--budget", "MINUTES", "how long (6)", set_minutes},
      text_option("--configs", "FILE", options.configs, "a config a line, instead of a search"),
      text_option("--nvcc", "COMMAND", options.nvcc, "with its options (nvcc)"),
      text_option("--work", "FOLDER", options.work, "for compiled kernels (build/tune)"),
      text_option("--data", "FOLDER", options.data, "of the results (plots/data)"),
      number_option("--list", options.list, 1, many, "print N candidates, and do nothing else"),
      number_option("--compile", options.compile, 1, many, "compile N, compare registers"),
      text_option("--card", "CARD", options.card, "a known one, for these two (h200)"),
      flag("--help", options.help, "print this and do nothing else"),
  };
}

}  // namespace

TuneOptions parse_tune_options(const std::vector<std::string>& arguments) {
  TuneOptions options;
  parse_arguments(option_rules(options), arguments);
  return options;
}

std::string tune_help_text() {
  TuneOptions options;
  return help_rows(option_rules(options));
}
