// Compiles the kernels of configs on many cores, each into a file of GPU code (a cubin).
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "space.h"

struct CompileRules {
  std::string nvcc;                 // command: "nvcc", or with options of its own
  std::string stage;                // its folder, "03_fused_pipeline"
  std::string arch;                 // "90a"
  std::string folder;               // for what is written; it must exist
  std::vector<std::string> fields;  // of the stage, M, N and K among them
};

struct Compiled {
  Candidate candidate;
  std::string cubin;                          // path
  std::optional<int> registers, spill_bytes;  // as ptxas says; nothing if it did not compile
  std::string error;                          // what the compiler said, "" if it had no objection
};

Compiled compile(const CompileRules& rules, const Candidate& candidate);

// What ptxas -v says about the one kernel of a file. Spills count with the stack.
std::optional<int> registers_in(const std::string& ptxas_output);
std::optional<int> spill_bytes_in(const std::string& ptxas_output);

// Threads that take candidates from `source` and compile them, until it has no more.
class CompilePool {
 public:
  // `source` is called by one thread at a time; once it had no more, it never has.
  CompilePool(
      int threads,
      const CompileRules& rules,
      const std::function<std::optional<Candidate>()>& source);
  ~CompilePool();  // lets running compilers end

  // What has been compiled, up to `most`; waits for the first. Empty if there will be no more.
  std::vector<Compiled> take(size_t most);

  // No more candidates are taken.
  void stop();

 private:
  void work();

  CompileRules rules_;
  std::function<std::optional<Candidate>()> source_;
  std::mutex source_mutex_, mutex_;
  std::condition_variable changed_;
  std::deque<Compiled> ready_;
  int working_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};
