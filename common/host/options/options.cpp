#include "options.h"

#include <set>
#include <utility>

#include "../support/refusal.h"
#include "../support/text.h"
#include "option_parser.h"

namespace {

const std::vector<std::string> input_names = {"integers", "uniform", "normal"};
const std::vector<std::string> schedule_names = {"eager", "lazy", "random"};

// An option that only one backend has.
OptionRule only_on(Backend where, Backend backend, OptionRule rule) {
  const bool needs_gpu = where == Backend::cuda;
  rule.help = (needs_gpu ? "GPU: " : "emulator: ") + rule.help;
  if (where == backend) return rule;
  rule.unavailable = format(
      "works only %s, and this program was built for the %s; drop it, or build the other, as in "
      "make 02 BACKEND=%s",
      needs_gpu ? "on a GPU" : "on the emulator", needs_gpu ? "emulator" : "GPU", name_of(where));
  return rule;
}

// Every option, in the order of the help. A new option is a new row.
std::vector<OptionRule> option_rules(Options& options, Backend backend) {
  const auto gpu = [&](const OptionRule& rule) { return only_on(Backend::cuda, backend, rule); };
  const auto emulator = [&](const OptionRule& rule) {
    return only_on(Backend::emulator, backend, rule);
  };
  constexpr uint64_t many = 1000000;
  return {
      flag("--check", options.check, "verify only, no benchmark"),
      gpu(flag("--bench", options.bench, "verify, then benchmark (as without any option)")),
      number_option(
          "--launches", options.launches, 1, many,
          "launch N times, compare all outputs bit for bit"),
      seed_option(options, "seed of the inputs and of the random schedule (1)"),
      inputs_option(options, "exact small integers, uniform in [-1, 1], or normal"),
      emulator(choice_option(
          "--schedule", options.schedule, schedule_names, "when TMA lands (eager: at once)")),
      emulator(number_option(
          "--schedules", options.schedules, 1, many, "try N random ones, seeds from --seed on")),
      emulator(text_option(
          "--trace", "FILE", options.trace, "write what the warps of block 0 did, as CSV")),
      flag("--explain", options.explain, "predict the speed on several cards, and say by what"),
      text_option(
          "--json", "FILE|-", options.json, "write one JSON object; with - nothing else on stdout"),
      text_option("--csv", "FILE", options.csv, "append a row, if the run succeeds"),
      gpu(device_option(options, "which one, by CUDA's number (0)")),
      flag("--help", options.help, "print this and do nothing else"),
  };
}

// Refuses standard output for a table, and one file for two outputs.
void refuse_shared_files(const Options& options) {
  const std::pair<const char*, const std::string&> files[] = {
      {"--json", options.json}, {"--csv", options.csv}, {"--trace", options.trace}};
  for (const auto& [name, path] : files) {
    if (path == "-" && path != options.json) {
      throw Refusal(format("%s -: only --json can go to standard output; name a file", name));
    }
    for (const auto& [other, other_path] : files) {
      if (name == other || path.empty() || path != other_path) continue;
      throw Refusal(format(
          "%s %s %s %s: each needs a file of its own", name, path.c_str(), other, path.c_str()));
    }
  }
}

// Refuses options that cannot hold at once. `given` are the names of those that were given.
void refuse_contradictions(
    const Options& options,
    Backend backend,
    const std::set<std::string>& given) {
  if (options.check && options.bench) {
    throw Refusal("--check --bench: --check switches the benchmark off; give one of the two");
  }
  if (options.check && options.explain) {
    throw Refusal("--check --explain: --check switches the benchmark off; give one of the two");
  }
  if (options.explain && backend == Backend::emulator) {
    for (const char* of_a_run : {"--csv", "--launches", "--schedule", "--schedules", "--trace"}) {
      if (given.count(of_a_run) == 0) continue;
      throw Refusal(format(
          "--explain %s: --explain predicts on the emulator and runs nothing; give one of the two",
          of_a_run));
    }
  }
  refuse_shared_files(options);
  if (options.schedules > 0 && options.launches > 1) {
    throw Refusal(format(
        "--schedules %d --launches %d: every schedule is one launch; give one of the two",
        options.schedules, options.launches));
  }
  if (options.schedules > 0 && given.count("--schedule") > 0 &&
      options.schedule != LandingSchedule::random) {
    throw Refusal(format(
        "--schedules %d --schedule %s: --schedules tries random ones; drop --schedule",
        options.schedules, name_of(options.schedule)));
  }
  if (options.schedules > 0 && options.seed > UINT64_MAX - options.schedules) {
    throw Refusal(format(
        "--seed %llu: leaves no room for --schedules %d; give a smaller seed",
        static_cast<unsigned long long>(options.seed), options.schedules));
  }
}

}  // namespace

const char* name_of(Backend backend) { return backend == Backend::cuda ? "cuda" : "emulator"; }

const char* name_of(Inputs inputs) { return input_names[static_cast<size_t>(inputs)].c_str(); }

const char* name_of(LandingSchedule schedule) {
  return schedule_names[static_cast<size_t>(schedule)].c_str();
}

OptionRule seed_option(Options& options, const char* help) {
  return number_option("--seed", options.seed, 0, UINT64_MAX, help);
}

OptionRule inputs_option(Options& options, const char* help) {
  return choice_option("--inputs", options.inputs, input_names, help);
}

OptionRule device_option(Options& options, const char* help) {
  return number_option("--device", options.device, 0, 1023, help);
}

Options parse_options(const std::vector<std::string>& arguments, Backend backend) {
  Options options;
  // Exact sums suit the emulator, which only verifies; random data suits a GPU, whose speed and
  // power depend on it.
  options.inputs = backend == Backend::cuda ? Inputs::uniform : Inputs::integers;
  const std::set<std::string> given = parse_arguments(option_rules(options, backend), arguments);
  refuse_contradictions(options, backend, given);
  if (options.schedules > 0) options.schedule = LandingSchedule::random;
  return options;
}

std::string help_text(const std::string& stage, Backend backend) {
  const bool on_gpu = backend == Backend::cuda;
  Options options;
  return format(
             "usage: ./%s/run [options]\n\n"
             "Runs the kernel %s and verifies it%s.\n\n",
             stage.c_str(), on_gpu ? "on a GPU" : "on the emulator",
             on_gpu ? ", then measures its speed" : "") +
         help_rows(option_rules(options, backend)) +
         format(
             "\nThe inputs are %s unless --inputs says otherwise.\n"
             "The problem and the tiles are fixed by make: see make help.\n"
             "Exit status: 0 verified, 1 wrong result or hazard, 2 refused.\n",
             on_gpu ? "uniform" : "integers");
}
