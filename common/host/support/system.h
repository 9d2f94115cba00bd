// What other programs and the clock say.
#pragma once

#include <string>

// "2026-01-31T12:00:00Z".
std::string utc_now();

struct CommandOutput {
  std::string text;  // standard output
  bool succeeded;    // it could be started and ended with status 0
};
CommandOutput run_command(const std::string& command);

// The commit of the checkout that holds the file `path`, or for "" that of the working directory;
// "" if there is none, or no git.
std::string commit_of(const std::string& path);
