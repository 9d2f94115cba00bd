// Verifies the configs that are linked in, under the schedules that its arguments name:
//
//   check FIRST SEED SEEDS SECONDS
//
// from config FIRST on: eager, lazy and SEEDS random schedules from SEED on; on a GPU two launches
// on integers and one on random numbers. Prints "ok" or "FAILED <options of run> : <what is wrong>"
// for each as soon as it is known, so that whoever counts the lines knows at which config a crash
// happened. A config that takes more than SECONDS ends the program with SIGALRM, an exception with
// status 75: it can be started again behind that config.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "../../host/support/text.h"
#include "../../host/verify/verify.h"
#include "fuzz_cases.h"

namespace {

// One verification, as `run --check` with these options would do it.
struct Trial {
  std::string text;
  Options options;
};

Trial trial(const std::string& text) {
  std::istringstream words("--check " + text);
  return {text, parse_options({std::istream_iterator<std::string>(words), {}}, this_backend())};
}

std::vector<Trial> trials(uint64_t seed, uint64_t seeds) {
  const std::string with_seed = " --seed " + std::to_string(seed);
  if (this_backend() == Backend::cuda) {
    return {
        trial("--inputs integers --launches 2" + with_seed),
        trial("--inputs normal" + with_seed),
    };
  }
  std::vector<Trial> all = {
      trial("--schedule eager" + with_seed),
      trial("--schedule lazy" + with_seed),
  };
  for (uint64_t i = 0; i < seeds; i++) {
    all.push_back(trial("--schedule random --seed " + std::to_string(seed + i)));
  }
  return all;
}

// Did the emulated kernel do the work of a config, no less and not twice? A tile that is computed
// again gives the right C. "" if all is well.
std::string find_miscount(const ConfigDescription& config, const emulator::Counters& counted) {
  const uint64_t k_tiles = static_cast<uint64_t>(config.blocks() * config.k_tiles());
  const uint64_t k_steps = k_tiles * static_cast<uint64_t>(config.BK / 16);
  const uint64_t warps = static_cast<uint64_t>(config.consumer_warps());
  const uint64_t acc_m = static_cast<uint64_t>(config.WM() / 16);
  const uint64_t acc_n = static_cast<uint64_t>(config.WN() / 8);
  const struct {
    const char* what;
    uint64_t got, expected;
  } counts[] = {
      {"mma", counted.mma, k_steps * warps * acc_m * acc_n},
      {"ldmatrix", counted.ldmatrix, k_steps * warps * (acc_m + acc_n / 2)},
      {"TMA bytes", counted.tma_bytes,
       k_tiles * static_cast<uint64_t>(config.As_bytes() + config.Bs_bytes())},
      {"bank conflicts", config.swizzle > 0 ? counted.bank_conflicts : 0, 0},
  };
  for (const auto& count : counts) {
    if (count.got == count.expected) continue;
    return format(
        "%llu %s, and not %llu", static_cast<unsigned long long>(count.got), count.what,
        static_cast<unsigned long long>(count.expected));
  }
  return "";
}

// What is wrong with one verification of one config, in one line; "" if nothing is. A launch that
// fails on a GPU throws.
std::string find_fault(const MatmulKernel& fuzzed, const Options& options) {
  Device device = open_device(options, fuzzed.config, fuzzed.function);
  Matrices matrices(fuzzed.config);
  const auto launch = matmul_launch(fuzzed.function, fuzzed.config, device, matrices);
  const Verification result = verify(options, fuzzed.config, device, matrices, launch);
  if (!result.passed) return result.fault;
  if (this_backend() == Backend::cuda) return "";
  return find_miscount(fuzzed.config, result.emulated.counters);
}

// After an exception this process can do no more on a GPU: CUDA repeats the error for ever.
constexpr int start_again = 75;

void check(const MatmulKernel& fuzzed, const std::vector<Trial>& all) {
  for (const Trial& one : all) {
    std::string fault;
    bool can_go_on = true;
    try {
      fault = find_fault(fuzzed, one.options);
    } catch (const std::exception& error) {
      fault = std::string("refused: ") + error.what();
      can_go_on = false;
    }
    if (fault.empty()) continue;
    std::printf("FAILED %s : %s\n", one.text.c_str(), fault.c_str());
    std::fflush(stdout);
    if (!can_go_on) std::_Exit(start_again);
    return;
  }
  std::puts("ok");
  std::fflush(stdout);
}

uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: check FIRST SEED SEEDS SECONDS\n", stderr);
    return 2;
  }
  const std::vector<Trial> all = trials(number(argv[2]), number(argv[3]));
  const std::vector<MatmulKernel> cases = fuzz_cases();
  for (size_t i = number(argv[1]); i < cases.size(); i++) {
    ::alarm(static_cast<unsigned>(number(argv[4])));
    check(cases[i], all);
  }
  return 0;
}
