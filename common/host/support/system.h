// What other programs and the clock say.
#pragma once

#include <string>

// "2026-01-31T12:00:00Z".
std::string utc_now();

// Seconds since some moment, by a clock that nobody sets.
double monotonic_seconds();

// Bytes of memory that this program may have: what is installed, or the limit of its container
// where that is less. `root` is where / lies, for tests.
double memory_limit(const std::string& root = "");

// As far as the system has them free, or can free them by forgetting what it holds of files.
double available_memory(const std::string& root = "");

// The variables of the environment that make launches wait, or say that a profiler is in this
// program: "CUDA_LAUNCH_BLOCKING, CUDA_INJECTION64_PATH"; "" where there is none.
std::string slowing_variables();

struct CommandOutput {
  std::string text;  // standard output
  bool succeeded;    // it could be started and ended with status 0
};
CommandOutput run_command(const std::string& command);

// The commit of the checkout that holds the file `path`, or for "" that of the working directory;
// "" if there is none, or no git.
std::string commit_of(const std::string& path);
