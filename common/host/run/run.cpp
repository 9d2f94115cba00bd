#include "run.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "../explain/explain.h"
#include "../support/output_files.h"
#include "../support/refusal.h"
#include "../support/system.h"
#include "../support/terminal.h"
#include "../support/text.h"
#include "json.h"
#include "report.h"

namespace {

// Text for people may have gone to a full disk, too.
void check_standard_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  throw Refusal("standard output cannot be written; is the disk full?");
}

// Refuses before any work starts what could not be written after it.
void check_files(const Options& options) {
  if (!options.json.empty() && options.json != "-") check_writable("--json", options.json);
  if (!options.csv.empty()) {
    check_writable("--csv", options.csv);
    check_csv_columns(options.csv, csv_header());
  }
  if (!options.trace.empty()) check_writable("--trace", options.trace);
}

}  // namespace

struct Run::State {
  std::string program;                 // argv[0]
  std::vector<std::string> arguments;  // the others
  std::string json;                    // the file of --json, known before the other options
  RunRecord record;

  // Text for people: to standard output, unless --json - has claimed it.
  void print(const std::string& text) const {
    if (json != "-") std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  void write_json() const { write_whole_file("--json", json, to_json(record)); }

  void append_row() const {
    const std::string row = csv_row(record, utc_now(), commit_of(program));
    append_csv_row(record.options->csv, csv_header(), row);
  }
};

Run::Run(const ConfigDescription& config, int argc, char** argv) : state_(new State) {
  state_->program = argc > 0 ? argv[0] : "";
  for (int i = 1; i < argc; i++) state_->arguments.push_back(argv[i]);
  state_->json = find_value(state_->arguments, "--json");
  state_->record.config = config;
}

Run::~Run() = default;

Device& Run::open_device_for(const void* kernel) {
  State& state = *state_;
  const ConfigDescription& config = state.record.config;
  const Options options = parse_options(state.arguments, this_backend());
  if (options.help) {
    const std::string help = help_text(config.stage, this_backend());
    std::fputs(help.c_str(), state.json == "-" ? stderr : stdout);
    std::exit(finish());
  }
  state.record.options = options;
  check_files(options);
  input_rule(options.inputs, options.seed, config.K);  // refuses what it cannot make
  if (options.explain && this_backend() == Backend::emulator) explain_and_exit("");
  try {
    state.record.device = open_device(options, config, kernel);
  } catch (const Refusal& refusal) {
    if (!options.explain) throw;
    explain_and_exit(refusal.what());
  }
  Device& device = *state.record.device;
  device.trace = !options.trace.empty();
  state.print(run_text(config, device));
  if (options.explain) state.print(explain_text(config, &device));
  return device;
}

// Without a GPU (`why_none`, "" on the emulator) there is nothing to measure, and the program ends.
void Run::explain_and_exit(const std::string& why_none) {
  state_->print(explain_text(state_->record.config, nullptr));
  if (!why_none.empty()) state_->print("  measured: nothing, because " + why_none + "\n");
  std::exit(finish());
}

bool Run::verify(Matrices& matrices, const std::function<void()>& launch) {
  const State& state = *state_;
  const ConfigDescription& config = state.record.config;
  const Options& options = *state.record.options;
  Device& device = *state_->record.device;
  const Verification& result =
      state_->record.verification.emplace(::verify(options, config, device, matrices, launch));
  clear_progress();
  state.print(verification_text(options, result));
  FILE* const report_stream = state.json == "-" ? stderr : stdout;
  for (const std::string& report : result.emulated.reports) {
    std::fprintf(report_stream, "\n%s\n", wrapped(report, 4).c_str());
  }
  if (!options.trace.empty()) write_whole_file("--trace", options.trace, result.emulated.trace);
  if (result.failing_seed) state.print(replay_text(config, options, *result.failing_seed));
  if (device.backend == Backend::emulator) state.print(counters_text(result.emulated.counters));
  return result.passed;
}

void Run::benchmark(Matrices& matrices, const std::function<void()>& launch) {
  const State& state = *state_;
  const Options& options = *state.record.options;
  const Device& device = *state.record.device;
  if (options.check) return;
  state_->record.benchmark = run_benchmark(device, matrices, launch);
  clear_progress();
  if (!state.record.benchmark) return;
  state.print(benchmark_text(options, device, *state.record.benchmark));
  if (!options.explain) return;
  state.print(explain_measured_text(state.record.config, device, *state.record.benchmark));
}

int Run::finish() {
  const State& state = *state_;
  const RunRecord& record = state.record;
  const bool json_to_file = !state.json.empty() && state.json != "-";
  const bool verified = record.verification && record.verification->passed;
  try {
    check_standard_output();
    // A row only beside a good JSON file; but on standard output only once nothing can fail.
    if (json_to_file) state.write_json();
    if (verified && !record.options->csv.empty()) state.append_row();
    if (state.json == "-") state.write_json();
  } catch (const Refusal& refusal) {
    return refuse(refusal);
  }
  return record.verification && !verified ? 1 : 0;
}

int Run::refuse(const std::exception& error) {
  State& state = *state_;
  clear_progress();
  const bool out_of_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  state.record.refusal = out_of_memory ? "out of memory: make M, N or K smaller" : error.what();
  std::fflush(stdout);
  std::fprintf(stderr, "refused: %s\n", state.record.refusal.c_str());
  if (state.json.empty()) return 2;
  try {
    state.write_json();
  } catch (const Refusal&) {
    // One refusal is enough, and it may have been about this file.
  }
  return 2;
}
