#include "run.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "../explain/explain.h"
#include "../measure/benchmark.h"
#include "../options/options.h"
#include "../support/output_files.h"
#include "../support/refusal.h"
#include "../support/text.h"
#include "../verify/verify.h"
#include "json.h"
#include "report.h"

namespace {

// What is known before anything has been read or opened.
RunRecord first_record(const ConfigDescription& config) {
  RunRecord record;
  record.stage = config.stage;
  record.backend = name_of(this_backend());
  record.M = config.M;
  record.N = config.N;
  record.K = config.K;
  record.config = config.fields;
  record.smem_bytes = config.smem_bytes;
  return record;
}

void note_options(RunRecord& record, const Options& options) {
  record.inputs = name_of(options.inputs);
  record.seed = options.seed;
  if (this_backend() == Backend::emulator) record.schedule = name_of(options.schedule);
}

void note_device(RunRecord& record, const Device& device) {
  record.device = device.name;
  record.arch = device.arch;
  if (device.backend == Backend::emulator) return;
  record.registers = device.registers;
  record.spill_bytes = device.spill_bytes;
  record.driver = device.driver;
  record.cuda = device.cuda;
}

void note_verification(RunRecord& record, const Verification& verification) {
  record.verified = verification.passed;
  record.max_rel_error = verification.max_rel_error;
  record.tolerance = verification.tolerance;
  record.launches = verification.launches;
  record.wrong_launches = verification.wrong_launches;
  record.failing_seed = verification.failing_seed;
  if (!verification.passed) record.error = verification.fault;
  if (this_backend() == Backend::cuda) return;
  record.counters = verification.emulated.counters;
  record.war_hazards = verification.emulated.war_hazards;
  record.raw_hazards = verification.emulated.raw_hazards;
  record.other_hazards = verification.emulated.other_hazards;
  record.deadlock = verification.emulated.deadlocks > 0;
}

void note_benchmark(RunRecord& record, const Benchmark& result) {
  record.tflops = result.stage.median;
  record.tflops_p20 = result.stage.p20;
  record.tflops_p80 = result.stage.p80;
  record.cublas_tflops = result.cublas;
  record.cublas_bf16out_tflops = result.cublas_bf16out;
  record.mma_peak_tflops = result.mma_peak;
  record.clock_mhz = result.clock_mhz;
  record.power_w = result.power_w;
}

// A line that overwrites itself, for someone who waits at a terminal.
void show_progress(const char* what, int64_t done, int64_t total) {
  if (total < 2 || !::isatty(STDERR_FILENO)) return;
  std::fprintf(
      stderr, "\r%s %lld of %lld \033[K", what, static_cast<long long>(done + 1),
      static_cast<long long>(total));
}

void clear_progress() {
  if (::isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// In single quotes, for a shell.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The commit of the checkout that holds `program`; "" if there is none, or no git.
std::string commit_of(const std::string& program) {
  const size_t slash = program.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : program.substr(0, slash + 1);
  const std::string command =
      "git -C " + shell_quoted(directory) + " rev-parse --short=12 HEAD 2>/dev/null";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  char line[64] = "";
  const bool read = std::fgets(line, sizeof line, pipe) != nullptr;
  const bool succeeded = ::pclose(pipe) == 0;
  return read && succeeded ? std::string(line, std::strcspn(line, "\n")) : "";
}

// Text for people may have gone to a full disk, too.
void check_standard_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  throw Refusal("standard output cannot be written; is the disk full?");
}

}  // namespace

struct Run::State {
  ConfigDescription config;
  std::string program;                 // argv[0]
  std::vector<std::string> arguments;  // the others
  Options options;
  Device device;
  RunRecord record;

  // Text for people: to standard output, unless --json - has claimed it.
  void print(const std::string& text) const {
    if (options.json != "-") std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  void write_json() const { write_whole_file("--json", options.json, to_json(record)); }

  void append_row() const {
    const std::string row = csv_row(record, utc_now(), commit_of(program), config.kernel_hash);
    append_csv_row(options.csv, csv_header(), row);
  }
};

Run::Run(const ConfigDescription& config, int argc, char** argv) : state_(new State) {
  state_->config = config;
  state_->program = argc > 0 ? argv[0] : "";
  for (int i = 1; i < argc; i++) state_->arguments.push_back(argv[i]);
  state_->record = first_record(config);
  state_->options.json = find_json_option(state_->arguments);
}

Run::~Run() = default;

Device& Run::open_device_for(const void* kernel) {
  State& state = *state_;
  state.options = parse_options(state.arguments, this_backend());
  const Options& options = state.options;
  if (options.help) {
    const std::string help = help_text(state.config.stage, this_backend());
    std::fputs(help.c_str(), options.json == "-" ? stderr : stdout);
    std::exit(finish());
  }
  note_options(state.record, options);
  if (!options.json.empty() && options.json != "-") check_writable("--json", options.json);
  if (!options.csv.empty()) {
    check_writable("--csv", options.csv);
    check_csv_columns(options.csv, csv_header());
  }
  if (!options.trace.empty()) check_writable("--trace", options.trace);
  input_rule(options.inputs, options.seed, state.config.K);  // refuses what it cannot make
  if (options.explain && this_backend() == Backend::emulator) explain_and_exit("");
  try {
    state.device = open_device(options, state.config, kernel);
  } catch (const Refusal& refusal) {
    if (!options.explain) throw;
    explain_and_exit(refusal.what());
  }
  state.device.trace = !options.trace.empty();
  note_device(state.record, state.device);
  state.print(run_text(state.config, state.device));
  if (options.explain) state.print(explain_text(state.config, &state.device));
  return state.device;
}

// Without a GPU (`why_none`, "" on the emulator) there is nothing to measure, and the program ends.
void Run::explain_and_exit(const std::string& why_none) {
  state_->print(explain_text(state_->config, nullptr));
  if (!why_none.empty()) state_->print("  measured: nothing, because " + why_none + "\n");
  std::exit(finish());
}

bool Run::verify(Matrices& matrices, const std::function<void()>& launch) {
  State& state = *state_;
  const Verification result =
      ::verify(state.options, state.config, state.device, matrices, launch, show_progress);
  clear_progress();
  note_verification(state.record, result);
  state.print(verification_text(state.options, result));
  FILE* const report_stream = state.options.json == "-" ? stderr : stdout;
  for (const std::string& report : result.emulated.reports) {
    std::fprintf(report_stream, "\n%s\n", report.c_str());
  }
  if (!state.options.trace.empty()) {
    write_whole_file("--trace", state.options.trace, result.emulated.trace);
  }
  if (result.failing_seed) {
    state.print(replay_text(state.config, state.options, *result.failing_seed));
  }
  if (state.device.backend == Backend::emulator)
    state.print(counters_text(result.emulated.counters));
  return result.passed;
}

void Run::benchmark(Matrices& matrices, const std::function<void()>& launch) {
  State& state = *state_;
  if (state.options.check) return;
  const std::optional<Benchmark> result =
      run_benchmark(state.device, matrices, launch, show_progress);
  clear_progress();
  if (!result) return;
  note_benchmark(state.record, *result);
  state.print(benchmark_text(state.options, state.device, *result));
  if (!state.options.explain) return;
  state.print(explain_measured_text(state.config, state.device, *result));
}

int Run::finish() {
  State& state = *state_;
  const bool json_to_file = !state.options.json.empty() && state.options.json != "-";
  const bool verified = state.record.verified == true;
  try {
    check_standard_output();
    // A row only beside a good JSON file; but on standard output only once nothing can fail.
    if (json_to_file) state.write_json();
    if (!state.options.csv.empty() && verified) state.append_row();
    if (state.options.json == "-") state.write_json();
  } catch (const Refusal& refusal) {
    return refuse(refusal);
  }
  return state.record.verified == false ? 1 : 0;
}

int Run::refuse(const std::exception& error) {
  State& state = *state_;
  clear_progress();
  const bool out_of_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  const std::string reason =
      out_of_memory ? "out of memory: make M, N or K smaller" : std::string(error.what());
  std::fflush(stdout);
  std::fprintf(stderr, "refused: %s\n", reason.c_str());
  state.record.error = reason;
  state.record.verified = std::nullopt;
  if (state.options.json.empty()) return 2;
  try {
    state.write_json();
  } catch (const Refusal&) {
    // One refusal is enough, and it may have been about this file.
  }
  return 2;
}
