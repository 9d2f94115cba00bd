#include "tuner.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "../../host/device/cuda_check.h"
#include "../../host/device/device.h"
#include "../../host/support/output_files.h"
#include "../../host/support/system.h"
#include "candidates.h"
#include "judge.h"
#include "results.h"
#include "search.h"

namespace {

constexpr size_t batch = 8;  // configs that are timed in turns, with the defaults
constexpr int batch_rounds = 3, batch_runs = 4;
constexpr size_t finalists = 8;
constexpr int final_rounds = 12, final_runs = 6;
constexpr double final_seconds = 20;  // of the budget, for finalists and running compilers

const std::string wrong_status = "wrong: ";

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Tuner {
 public:
  Tuner(
      const ConfigDescription& config,
      const Device& device,
      const Space& space,
      const TuneOptions& options)
      : config_(config),
        space_(space),
        options_(options),
        rules_(compile_rules(config, space, options)),
        fixed_(fixed_configs(space, options.configs)),
        file_(
            options.data + "/tune_" + space.card.file + ".csv",
            {utc_now(), commit_of(""), config.kernel_hash, config.stage, device.name, config.M,
             config.N, config.K}),
        judge_(config, device),
        flops_(2.0 * config.M * config.N * config.K) {
    make_default();
  }

  int run() {
    const size_t before = file_.results().size();
    std::printf(
        "%s on %s: %.1f minutes, %zu configs tried before; results in %s/tune_%s.csv\n",
        config_.stage.c_str(), space_.card.name.c_str(), options_.minutes, before,
        options_.data.c_str(), space_.card.file.c_str());
    search();
    std::printf(
        "%zu configs tried, %d of them now; %s", file_.results().size(), tried_,
        registers_.text().c_str());
    finish();
    const int wrong = count_wrong();
    if (wrong > 0) std::printf("FAILED: %d legal configs gave a wrong product\n", wrong);
    return wrong > 0 ? 1 : 0;
  }

 private:
  // The config of the build: everything is timed in turns with it.
  void make_default() {
    ConfigValues values = space_.base;
    if (find_violation(space_, values).rule != ConfigRule::none) {
      throw Refusal("the stage's own config does not run on this GPU");
    }
    default_ = compile(rules_, predicted(space_, values));
    if (!default_.error.empty()) throw Refusal("nvcc: " + default_.error);
    const std::string fault = judge_.find_fault(default_);
    if (!fault.empty()) throw Refusal("the stage's own config is wrong: " + fault);
  }

  // Also in earlier runs: a wrong product is no matter of speed.
  int count_wrong() const {
    int wrong = 0;
    for (const auto& [key, result] : file_.results()) {
      wrong += result.status.rfind(wrong_status, 0) == 0;
    }
    return wrong;
  }

  double search_seconds() const { return std::max(0.0, 60 * options_.minutes - final_seconds); }

  void search() {
    std::set<std::string> tried;
    for (const auto& [key, result] : file_.results()) tried.insert(key);
    Search search(space_, tried, fixed_);
    update_fastest();
    CompilePool pool(compiler_threads(), rules_, [&] {
      std::vector<std::string> fastest;
      {
        const std::lock_guard<std::mutex> lock(fastest_mutex_);
        fastest = fastest_;
      }
      return search.next(fastest, clock_.seconds() / search_seconds());
    });
    while (clock_.seconds() < search_seconds()) {
      const std::vector<Compiled> compiled = pool.take(batch);
      if (compiled.empty()) break;
      judge_batch(compiled);
      update_fastest();
      show_progress();
    }
    pool.stop();
  }

  Result first_result(const Compiled& compiled) const {
    Result result;
    result.key = key_of(space_, compiled.candidate.values);
    result.phase = "search";
    result.predicted_tflops = compiled.candidate.tflops;
    result.estimated_registers = compiled.candidate.registers;
    result.registers = compiled.registers;
    result.spill_bytes = compiled.spill_bytes;
    result.smem_bytes = compiled.candidate.values.smem_bytes;
    return result;
  }

  // Why a config is not timed; "" if it is.
  std::string find_obstacle(const Compiled& compiled) {
    if (!compiled.error.empty()) return "does not compile: " + compiled.error;
    if (compiled.spill_bytes.value_or(0) > 0) return "spills";
    const std::string fault = judge_.find_fault(compiled);
    if (fault.empty()) return "";
    std::printf(
        "WRONG: %s: %s\n", key_of(space_, compiled.candidate.values).c_str(), fault.c_str());
    return wrong_status + fault;
  }

  void judge_batch(const std::vector<Compiled>& compiled) {
    std::vector<Compiled> good;
    for (const Compiled& each : compiled) {
      tried_++;
      registers_.add(each);
      const std::string obstacle = find_obstacle(each);
      if (obstacle.empty()) {
        good.push_back(each);
        continue;
      }
      Result result = first_result(each);
      result.status = obstacle;
      file_.add(result);
      forget(each);
    }
    add_times(good, "search", batch_rounds, batch_runs);
  }

  // Removes the compiled file, unless it is that of the defaults, which every batch loads.
  void forget(const Compiled& compiled) const {
    if (compiled.cubin != default_.cubin) std::remove(compiled.cubin.c_str());
  }

  // Times the defaults and `compiled` in turns, and adds a row for each of `compiled`.
  std::vector<Result> add_times(
      const std::vector<Compiled>& compiled,
      const char* phase,
      int rounds,
      int runs) {
    if (compiled.empty()) return {};
    std::vector<std::unique_ptr<LoadedKernel>> kernels;
    kernels.push_back(judge_.load(default_));
    for (const Compiled& each : compiled) kernels.push_back(judge_.load(each));
    const std::vector<double> ms = judge_.time(kernels, rounds, runs);
    default_tflops_ = flops_ / ms[0] * 1e-9;
    std::vector<Result> results;
    for (size_t i = 0; i < compiled.size(); i++) {
      Result result = first_result(compiled[i]);
      result.phase = phase;
      result.status = "ok";
      result.tflops = flops_ / ms[i + 1] * 1e-9;
      result.ratio = ms[0] / ms[i + 1];
      file_.add(result);
      results.push_back(result);
      forget(compiled[i]);
    }
    return results;
  }

  void update_fastest() {
    std::vector<std::string> keys;
    for (const Result& result : file_.fastest()) keys.push_back(result.key);
    const std::lock_guard<std::mutex> lock(fastest_mutex_);
    fastest_ = std::move(keys);
  }

  // On a terminal all the time, elsewhere only when there is a new best.
  void show_progress() {
    const std::vector<Result> fastest = file_.fastest();
    if (fastest.empty()) return;
    const std::string line = format(
        "%4.0f s %5zu tried, best %.1f TFLOP/s, %.3f of the defaults: %s", clock_.seconds(),
        file_.results().size(), fastest[0].tflops.value_or(0), *fastest[0].ratio,
        fastest[0].key.c_str());
    const bool is_new = fastest[0].key != shown_;
    if (::isatty(STDOUT_FILENO)) {
      std::printf("\r%s\033[K%s", line.c_str(), is_new ? "\n" : "");
    } else if (is_new) {
      std::printf("%s\n", line.c_str());
    }
    std::fflush(stdout);
    shown_ = fastest[0].key;
  }

  // Times the fastest once more, longer and in turns, and writes the preset.
  void finish() {
    std::vector<Compiled> last;
    for (const Result& result : file_.fastest()) {
      if (last.size() == finalists) break;
      ConfigValues values = space_.base;
      const bool readable = read_config_line(result.key, space_.fields, values).empty();
      if (!readable || find_violation(space_, values).rule != ConfigRule::none) continue;
      const Compiled compiled = compile(rules_, predicted(space_, values));
      if (compiled.error.empty() && judge_.find_fault(compiled).empty()) last.push_back(compiled);
    }
    std::vector<Result> results = add_times(last, "final", final_rounds, final_runs);
    std::stable_sort(results.begin(), results.end(), [](const Result& a, const Result& b) {
      return *a.ratio > *b.ratio;
    });
    if (results.empty()) throw Refusal("no config was timed: give it a larger BUDGET");
    std::printf("\nfinalists, in turns; the defaults: %.1f TFLOP/s\n", default_tflops_);
    for (const Result& result : results) {
      std::printf("%8.1f TFLOP/s %.3f  %s\n", *result.tflops, *result.ratio, result.key.c_str());
    }
    if (*results.front().ratio < 1) {
      std::printf("note: in this run the defaults were faster than all of them\n");
    }
    write_preset(results.front());
  }

  void write_preset(const Result& best) const {
    std::string text = format(
        "# %s on %s, M=%lld N=%lld K=%lld: %.1f TFLOP/s, %.3f of the defaults in the same run.\n"
        "# Found by make tune.\n",
        config_.stage.c_str(), space_.card.name.c_str(), static_cast<long long>(config_.M),
        static_cast<long long>(config_.N), static_cast<long long>(config_.K), *best.tflops,
        *best.ratio);
    for (const char c : best.key) text += c == ' ' ? '\n' : c;
    const std::string path = config_.stage + "/" + space_.card.file + ".preset";
    write_whole_file("the preset", path, text + "\n");
    std::printf(
        "wrote %s: make %.2s PRESET=%s\n", path.c_str(), config_.stage.c_str(),
        space_.card.file.c_str());
  }

  const ConfigDescription& config_;
  const Space space_;
  const TuneOptions& options_;
  const Clock clock_;
  const CompileRules rules_;
  const std::optional<std::vector<ConfigValues>> fixed_;
  ResultFile file_;
  Judge judge_;
  const double flops_;
  Compiled default_;
  double default_tflops_ = 0;
  std::mutex fastest_mutex_;
  std::vector<std::string> fastest_;
  RegisterCheck registers_;
  std::string shown_;
  int tried_ = 0;
};

}  // namespace

int tune(const ConfigDescription& config, const void* kernel, const TuneOptions& options) {
  const CLocale c;
  if (options.help) {
    std::fputs(tune_help_text().c_str(), stdout);
    return 0;
  }
  if (options.list > 0 || options.compile > 0) {
    const Space space = space_of(config, card_named(options.card));
    if (options.list > 0) list_candidates(space, options.list);
    if (options.compile > 0) {
      compile_candidates(space, compile_rules(config, space, options), options.compile);
    }
    return 0;
  }
  const Device device = open_device(Options{}, config, kernel);
  const Space space = space_of(config, card_for(device));
  return Tuner(config, device, space, options).run();
}
