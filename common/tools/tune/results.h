// What has been tried, in a CSV file that outlives the run: a tuner that was stopped goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

// One config, tried once.
struct Result {
  std::string key;     // "BM=128 BN=128 ..."
  std::string status;  // "ok", or why there is no time: "spills", "does not compile", "wrong", ...
  std::string phase;   // "search" or "final": how it was timed
  double predicted_tflops = 0;
  int estimated_registers = 0;
  std::optional<int> registers, spill_bytes;
  long long smem_bytes = 0;
  std::optional<double> tflops;
  std::optional<double> ratio;  // speed over that of the defaults, timed in turns with it
};

// What the rows of one search have in common; rows of others are passed over.
struct SearchId {
  std::string date, commit;  // of new rows; not compared
  std::string kernel_hash, stage, device;
  long long M = 0, N = 0, K = 0;
};

class ResultFile {
 public:
  // Reads the rows of `id`, if the file exists. Throws Refusal if it is another kind of file, or
  // cannot be written.
  ResultFile(const std::string& path, const SearchId& id);

  // Appends a row. Throws Refusal.
  void add(const Result& result);

  // Every config tried, by its key; where it was tried more than once, as last.
  const std::map<std::string, Result>& results() const { return results_; }

  // The configs with a time, the fastest first.
  std::vector<Result> fastest() const;

 private:
  std::string path_;
  SearchId id_;
  std::map<std::string, Result> results_;
};
