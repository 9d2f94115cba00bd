#include "system.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>

namespace {

// In single quotes, for a shell.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The number in a file of a control group; infinite where there is none, as for "max".
double limit_in(const std::string& path) {
  std::ifstream file(path);
  double bytes = 0;
  return file >> bytes ? bytes : std::numeric_limits<double>::infinity();
}

// The least limit of a control group and those that it is in. A container may see its own as "/",
// or name one that only the host sees.
double least_limit(const std::string& folder, std::string group, const char* file) {
  double least = limit_in(folder + "/" + file);
  while (group.size() > 1 && group[0] == '/') {
    least = std::min(least, limit_in(folder + group + "/" + file));
    group.resize(group.rfind('/'));
  }
  return least;
}

}  // namespace

double memory_limit(const std::string& root) {
  double limit =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const std::string groups = root + "/sys/fs/cgroup";
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line;
       std::getline(file, line);) {  // NUMBER:CONTROLLERS:GROUP, none in version 2
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") limit = std::min(limit, least_limit(groups, group, "memory.max"));
    if (controllers.find(",memory,") == std::string::npos) continue;
    limit = std::min(limit, least_limit(groups + "/memory", group, "memory.limit_in_bytes"));
  }
  return limit;
}

double available_memory(const std::string& root) {
  const double limit = memory_limit(root);
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kib) != 1) continue;
    return std::min(limit, static_cast<double>(kib) * 1024);
  }
  return limit;
}

std::string slowing_variables() {
  std::string names;
  for (const char* name :
       {"CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID",
        "NV_TPS_LAUNCH_TOKEN"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0' || std::string(value) == "0") continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

double monotonic_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
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
