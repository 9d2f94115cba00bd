#include "system.h"

#include <cstdio>
#include <ctime>

namespace {

// In single quotes, for a shell.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

CommandOutput run_command(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {"no process could be started", false};
  CommandOutput output = {"", false};
  char buffer[4096];
  for (size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output.text.append(buffer, size);
  }
  output.succeeded = ::pclose(pipe) == 0;
  return output;
}

std::string commit_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const CommandOutput git =
      run_command("git -C " + shell_quoted(directory) + " rev-parse --short=12 HEAD 2>/dev/null");
  return git.succeeded ? git.text.substr(0, git.text.find('\n')) : "";
}
