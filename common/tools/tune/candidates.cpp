#include "candidates.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../../host/support/refusal.h"
#include "../../host/support/text.h"

void RegisterCheck::add(const Compiled& compiled) {
  if (!compiled.registers) return;
  const int error = compiled.candidate.registers - *compiled.registers;
  count_++;
  sum_ += std::abs(error);
  most_ = std::max(most_, std::abs(error));
  if (compiled.spill_bytes.value_or(0) > 0) spilling_++;
}

std::string RegisterCheck::text() const {
  if (count_ == 0) return "registers: no kernel was compiled\n";
  return format(
      "registers: of %d kernels, the estimate is off by %.0f on average and by %d at most; %d "
      "spill\n",
      count_, static_cast<double>(sum_) / count_, most_, spilling_);
}

Card card_named(const std::string& file) {
  std::vector<std::string> names;
  for (const Card& card : known_cards()) {
    if (card.file == file) return card;
    names.push_back(card.file);
  }
  throw Refusal(format("--card %s: choose %s", file.c_str(), listed(names, " or ").c_str()));
}

Card card_for(const Device& device) {
  if (const Card* known = find_card(device.name, device.sm_count)) return *known;
  Card card = known_cards().front();
  const int arch = std::atoi(device.arch.substr(3).c_str());
  for (const Card& known : known_cards()) {
    if (known.arch == arch) card = known;
  }
  card.name = device.name;
  card.file = card_file_name(device.name);
  card.arch = arch;
  card.sm_count = device.sm_count;
  return card;
}

std::optional<std::vector<ConfigValues>> fixed_configs(
    const Space& space,
    const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::ifstream file(path);
  if (!file) throw Refusal(format("CONFIGS=%s: there is no such file", path.c_str()));
  std::vector<ConfigValues> configs;
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    if (line.find_first_not_of(" \t\r") == line.find('#')) continue;  // blank, or a comment
    ConfigValues values = space.base;
    std::string fault = read_config_line(line, space.fields, values);
    const Violation broken = fault.empty() ? find_violation(space, values) : Violation{};
    if (broken.rule != ConfigRule::none) fault = sentence_of(broken).text;
    if (!fault.empty()) throw Refusal(format("%s:%d: %s", path.c_str(), number, fault.c_str()));
    configs.push_back(values);
  }
  return configs;
}

CompileRules compile_rules(
    const ConfigDescription& config,
    const Space& space,
    const TuneOptions& options) {
  const std::string folder = options.work + "/" + config.stage;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Refusal(folder + ": the folder cannot be made; make it, or name another");
  std::vector<std::string> fields = {"M", "N", "K"};
  fields.insert(fields.end(), space.fields.begin(), space.fields.end());
  // "90a" for sm_90: with TMA come the instructions of that one architecture.
  return {options.nvcc, config.stage, format("%da", space.card.arch), folder, fields};
}

int compiler_threads() { return std::max(1u, std::thread::hardware_concurrency() - 1); }

void list_candidates(const Space& space, int count) {
  const std::vector<Candidate> ranked = ranked_candidates(space);
  std::printf(
      "%zu configs are worth trying on %s\n%9s %9s  config\n", ranked.size(),
      space.card.name.c_str(), "TFLOP/s", "registers");
  for (size_t i = 0; i < ranked.size() && i < static_cast<size_t>(count); i++) {
    std::printf(
        "%9.1f %9d  %s\n", ranked[i].tflops, ranked[i].registers,
        key_of(space, ranked[i].values).c_str());
  }
}

void compile_candidates(const Space& space, const CompileRules& rules, int count) {
  const std::vector<Candidate> ranked = ranked_candidates(space);
  const size_t wanted = std::min(ranked.size(), static_cast<size_t>(count));
  size_t next = 0;
  CompilePool pool(compiler_threads(), rules, [&]() -> std::optional<Candidate> {
    if (next == wanted) return std::nullopt;
    return ranked[next++];
  });
  RegisterCheck registers;
  const auto start = std::chrono::steady_clock::now();
  std::printf("%9s %9s %9s  config\n", "estimate", "registers", "spilled");
  for (std::vector<Compiled> some; !(some = pool.take(1)).empty();) {
    for (const Compiled& compiled : some) {
      registers.add(compiled);
      std::printf(
          "%9d %9d %9d  %s %s\n", compiled.candidate.registers, compiled.registers.value_or(-1),
          compiled.spill_bytes.value_or(-1), key_of(space, compiled.candidate.values).c_str(),
          compiled.error.c_str());
      std::remove(compiled.cubin.c_str());
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%s%.1f s\n", registers.text().c_str(), seconds.count());
}
