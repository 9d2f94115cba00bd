#include "options.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>

#include "../support/refusal.h"
#include "../support/text.h"

const char* name_of(Backend backend) { return backend == Backend::cuda ? "cuda" : "emulator"; }

const char* name_of(Inputs inputs) {
  switch (inputs) {
    case Inputs::integers: return "integers";
    case Inputs::uniform: return "uniform";
    case Inputs::normal: return "normal";
  }
  return "";
}

const char* name_of(LandingSchedule schedule) {
  switch (schedule) {
    case LandingSchedule::eager: return "eager";
    case LandingSchedule::lazy: return "lazy";
    case LandingSchedule::random: return "random";
  }
  return "";
}

namespace {

enum class Where { both, cuda, emulator };

struct OptionRule {
  const char* name;   // "--seed"
  const char* value;  // what stands for the value in the help; nullptr: the option takes none
  Where where;
  const char* help;
  std::function<void(Options&, const std::string& value)> apply;  // throws Refusal
};

// A whole number in decimal digits, lowest <= number <= highest; anything else is refused.
uint64_t parse_number(
    const char* option,
    const std::string& text,
    uint64_t lowest,
    uint64_t highest) {
  bool good = !text.empty();
  for (const char c : text) good = good && std::isdigit(static_cast<unsigned char>(c));
  errno = 0;
  const unsigned long long number = good ? std::strtoull(text.c_str(), nullptr, 10) : 0;
  good = good && errno == 0 && number >= lowest && number <= highest;
  if (!good) {
    throw Refusal(format(
        "%s %s: give a whole number from %llu to %llu", option, text.c_str(),
        static_cast<unsigned long long>(lowest), static_cast<unsigned long long>(highest)));
  }
  return number;
}

// The member of `choices` whose name is `text`; anything else is refused.
template <class Choice>
Choice parse_choice(
    const char* option,
    const std::string& text,
    const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const Choice choice : choices) {
    if (text == name_of(choice)) return choice;
    names.push_back(name_of(choice));
  }
  throw Refusal(format("%s %s: choose %s", option, text.c_str(), listed(names, " or ").c_str()));
}

// Every option, in the order of the help. A new option is a new entry.
const std::vector<OptionRule>& option_rules() {
  static const std::vector<OptionRule> rules = {
      {"--check", nullptr, Where::both, "verify only, no benchmark",
       [](Options& options, const std::string&) { options.check = true; }},
      {"--bench", nullptr, Where::cuda, "verify, then benchmark (as without any option)",
       [](Options& options, const std::string&) { options.bench = true; }},
      {"--launches", "N", Where::both, "launch N times, compare all outputs bit for bit",
       [](Options& options, const std::string& value) {
         options.launches = static_cast<int>(parse_number("--launches", value, 1, 1000000));
       }},
      {"--seed", "N", Where::both, "seed of the inputs and of the random schedule (1)",
       [](Options& options, const std::string& value) {
         options.seed = parse_number("--seed", value, 0, UINT64_MAX);
       }},
      {"--inputs", "integers|uniform|normal", Where::both,
       "exact small integers, uniform in [-1, 1], or normal",
       [](Options& options, const std::string& value) {
         options.inputs = parse_choice<Inputs>(
             "--inputs", value, {Inputs::integers, Inputs::uniform, Inputs::normal});
       }},
      {"--schedule", "eager|lazy|random", Where::emulator, "when TMA lands (eager: at once)",
       [](Options& options, const std::string& value) {
         options.schedule = parse_choice<LandingSchedule>(
             "--schedule", value,
             {LandingSchedule::eager, LandingSchedule::lazy, LandingSchedule::random});
       }},
      {"--schedules", "N", Where::emulator, "try N random ones, seeds from --seed on",
       [](Options& options, const std::string& value) {
         options.schedules = static_cast<int>(parse_number("--schedules", value, 1, 1000000));
       }},
      {"--trace", "FILE", Where::emulator, "write what the warps of block 0 did, as CSV",
       [](Options& options, const std::string& value) { options.trace = value; }},
      {"--explain", nullptr, Where::both, "predict the speed on several cards, and say by what",
       [](Options& options, const std::string&) { options.explain = true; }},
      {"--json", "FILE|-", Where::both, "write one JSON object; with - nothing else on stdout",
       [](Options& options, const std::string& value) { options.json = value; }},
      {"--csv", "FILE", Where::both, "append a row, if the run succeeds",
       [](Options& options, const std::string& value) { options.csv = value; }},
      {"--device", "N", Where::cuda, "which one, by CUDA's number (0)",
       [](Options& options, const std::string& value) {
         options.device = static_cast<int>(parse_number("--device", value, 0, 1023));
       }},
      {"--help", nullptr, Where::both, "print this and do nothing else",
       [](Options& options, const std::string&) { options.help = true; }},
  };
  return rules;
}

bool available(const OptionRule& rule, Backend backend) {
  if (rule.where == Where::both) return true;
  return (rule.where == Where::cuda) == (backend == Backend::cuda);
}

[[noreturn]] void refuse_unknown(const std::string& argument, Backend backend) {
  std::vector<std::string> names;
  for (const OptionRule& rule : option_rules()) {
    if (available(rule, backend)) names.push_back(rule.name);
  }
  const std::string guess = nearest(argument, names);
  const std::string hint = guess.empty() ? "" : "did you mean " + guess + "? ";
  throw Refusal(format("%s: no such option; %s--help lists them", argument.c_str(), hint.c_str()));
}

const OptionRule& find_rule(const std::string& name, const std::string& argument, Backend backend) {
  for (const OptionRule& rule : option_rules()) {
    if (name != rule.name) continue;
    if (available(rule, backend)) return rule;
    const bool needs_gpu = rule.where == Where::cuda;
    throw Refusal(format(
        "%s: works only %s, and this program was built for the %s; drop it or run make BACKEND=%s",
        argument.c_str(), needs_gpu ? "on a GPU" : "on the emulator",
        backend == Backend::cuda ? "GPU" : "emulator", needs_gpu ? "cuda" : "emulator"));
  }
  refuse_unknown(argument, backend);
}

// The value of an option, and not the next option.
bool is_value(const std::string& text) { return !text.empty() && text.rfind("--", 0) != 0; }

// Line breaks become blanks, so that a refusal stays one line whatever it quotes.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
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

Options parse_options(const std::vector<std::string>& arguments, Backend backend) {
  Options options;
  // Exact sums suit the emulator, which only verifies; random data suits a GPU, whose speed and
  // power depend on it.
  options.inputs = backend == Backend::cuda ? Inputs::uniform : Inputs::integers;
  std::set<std::string> given;

  for (size_t i = 0; i < arguments.size(); i++) {
    const std::string argument = one_line(arguments[i]);
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const OptionRule& rule = find_rule(name, argument, backend);
    if (!given.insert(rule.name).second) {
      throw Refusal(format("%s is given twice; give it once", rule.name));
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
      if (rule.value == nullptr) {
        throw Refusal(format("%s: %s takes no value", argument.c_str(), rule.name));
      }
    } else if (rule.value != nullptr && i + 1 < arguments.size()) {
      value = one_line(arguments[++i]);
    }
    if (rule.value != nullptr && !is_value(value)) {
      throw Refusal(format("%s: a value must follow, %s %s", rule.name, rule.name, rule.value));
    }
    rule.apply(options, value);
  }

  refuse_contradictions(options, backend, given);
  if (options.schedules > 0) options.schedule = LandingSchedule::random;
  return options;
}

std::string find_json_option(const std::vector<std::string>& arguments) {
  std::string json;
  for (size_t i = 0; i < arguments.size(); i++) {
    const bool has_next = i + 1 < arguments.size() && is_value(arguments[i + 1]);
    if (arguments[i] == "--json" && has_next) json = arguments[i + 1];
    if (arguments[i].rfind("--json=", 0) == 0) json = arguments[i].substr(7);
  }
  return json;
}

std::string help_text(const std::string& stage, Backend backend) {
  const bool on_gpu = backend == Backend::cuda;
  std::string text = format(
      "usage: ./%s/run [options]\n\n"
      "Runs the kernel %s and verifies it%s.\n\n",
      stage.c_str(), on_gpu ? "on a GPU" : "on the emulator",
      on_gpu ? ", then measures its speed" : "");
  for (const OptionRule& rule : option_rules()) {
    const std::string usage = rule.value ? std::string(rule.name) + " " + rule.value : rule.name;
    const char* where = rule.where == Where::cuda       ? "GPU: "
                        : rule.where == Where::emulator ? "emulator: "
                                                        : "";
    text += format("  %-36s %s%s\n", usage.c_str(), where, rule.help);
  }
  text += format(
      "\nThe inputs are %s unless --inputs says otherwise.\n"
      "The problem and the tiles are fixed by make: see make help.\n"
      "Exit status: 0 verified, 1 wrong result or hazard, 2 refused.\n",
      on_gpu ? "uniform" : "integers");
  return text;
}
