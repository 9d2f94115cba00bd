#include "compile.h"

#include <cstdio>
#include <cstdlib>

#include "../../host/support/output_files.h"
#include "../../host/support/refusal.h"
#include "../../host/support/system.h"
#include "../../host/support/text.h"

namespace {

// Compiled kernels wait for the GPU; so many that it never does.
constexpr size_t most_waiting = 64;

// A file name for a config: FNV-1a of its key.
std::string short_name(const std::string& key) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return format("%016llx", static_cast<unsigned long long>(hash));
}

// What make writes for a build, for this config.
void write_options(const std::string& path, const CompileRules& rules, const Candidate& candidate) {
  const ConfigValues& values = candidate.values;
  std::string text = format(
      "#define STAGE_NAME \"%s\"\n#define CONFIG_ARCH %d\n#define STORAGE_BYTES %lld\n"
      "#define CONFIG_OVERRIDES",
      rules.stage.c_str(), std::atoi(rules.arch.c_str()),
      static_cast<long long>(values.smem_bytes));
  for (const std::string& name : rules.fields) {
    text += " {\"" + name + "\", " + std::to_string(values.*field_named(name).value) + "},";
  }
  write_whole_file("the tuner", path, text + "\n");
}

// The number before the first `after`; nothing if there is none.
std::optional<int> number_before(const std::string& text, const std::string& after) {
  const size_t end = text.find(after);
  if (end == std::string::npos) return std::nullopt;
  size_t start = end;
  while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9') start--;
  if (start == end) return std::nullopt;
  return std::atoi(text.substr(start, end - start).c_str());
}

// The first line that has `word`, else the first line.
std::string line_with(const std::string& text, const std::string& word) {
  const size_t at = text.find(word);
  const size_t start = at == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', start) - start);
}

}  // namespace

std::optional<int> registers_in(const std::string& ptxas_output) {
  return number_before(ptxas_output, " registers");
}

std::optional<int> spill_bytes_in(const std::string& ptxas_output) {
  const auto stack = number_before(ptxas_output, " bytes stack frame");
  const auto stores = number_before(ptxas_output, " bytes spill stores");
  const auto loads = number_before(ptxas_output, " bytes spill loads");
  if (!stack || !stores || !loads) return std::nullopt;
  return *stack + *stores + *loads;
}

Compiled compile(const CompileRules& rules, const Candidate& candidate) {
  const std::string key = config_line(candidate.values, rules.fields);
  const std::string path = rules.folder + "/" + short_name(key + " for " + rules.arch);
  Compiled compiled = {candidate, path + ".cubin", {}, {}, ""};
  try {
    write_options(path + ".h", rules, candidate);
  } catch (const Refusal& refusal) {
    compiled.error = refusal.what();
    return compiled;
  }
  const std::string command = format(
      "%s -cubin -Xptxas -v -gencode arch=compute_%s,code=sm_%s "
      "-include %s.h -include %s/config.h -include %s/kernel.cuh "
      "common/tools/preflight/instantiate.cu -o %s",
      rules.nvcc.c_str(), rules.arch.c_str(), rules.arch.c_str(), path.c_str(), rules.stage.c_str(),
      rules.stage.c_str(), compiled.cubin.c_str());
  const CommandOutput output = run_command(command + " 2>&1");
  std::remove((path + ".h").c_str());
  if (!output.succeeded) {
    compiled.error = line_with(output.text, "error");
    return compiled;
  }
  compiled.registers = registers_in(output.text);
  compiled.spill_bytes = spill_bytes_in(output.text);
  return compiled;
}

CompilePool::CompilePool(
    int threads,
    const CompileRules& rules,
    const std::function<std::optional<Candidate>()>& source)
    : rules_(rules), source_(source), working_(threads) {
  for (int i = 0; i < threads; i++) threads_.emplace_back([this] { work(); });
}

CompilePool::~CompilePool() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

void CompilePool::work() {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || ready_.size() < most_waiting; });
      if (stopped_) break;
    }
    std::optional<Candidate> candidate;
    {
      const std::lock_guard<std::mutex> lock(source_mutex_);
      candidate = source_();
    }
    if (!candidate) break;
    Compiled compiled = compile(rules_, *candidate);
    const std::lock_guard<std::mutex> lock(mutex_);
    ready_.push_back(std::move(compiled));
    changed_.notify_all();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  working_--;
  changed_.notify_all();
}

std::vector<Compiled> CompilePool::take(size_t most) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || working_ == 0 || stopped_; });
  std::vector<Compiled> taken;
  while (!ready_.empty() && taken.size() < most && !stopped_) {
    taken.push_back(std::move(ready_.front()));
    ready_.pop_front();
  }
  changed_.notify_all();
  return taken;
}

void CompilePool::stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}
