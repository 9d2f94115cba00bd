// watchdog SECONDS COMMAND...: runs a command in a process group of its own, and ends all of it
// when the time is up, or Ctrl-C comes. Its exit status is the command's, as a shell says it: 128 +
// N for signal N, 124 for the time. What is not the command's own status stands on standard error,
// too.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

volatile std::sig_atomic_t child = 0;
volatile std::sig_atomic_t caught = 0;

void end_group(int signal) {
  caught = signal;
  ::kill(-child, SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: watchdog SECONDS COMMAND...\n", stderr);
    return 2;
  }
  child = ::fork();
  if (child == -1) {
    std::perror("watchdog: fork");
    return 126;
  }
  ::setpgid(child, child);  // in both, since neither waits for the other
  if (child == 0) {
    ::execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    ::_exit(127);
  }
  for (const int signal : {SIGALRM, SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_group);
  ::alarm(static_cast<unsigned>(std::atoi(argv[1])));

  int status = 0;
  while (::waitpid(child, &status, 0) == -1) {
  }
  ::kill(-child, SIGKILL);  // what it has left behind
  if (caught == SIGALRM) {
    std::fprintf(stderr, "watchdog: still running after %s seconds\n", argv[1]);
    return 124;
  }
  if (caught != 0) {
    std::signal(caught, SIG_DFL);
    ::raise(caught);
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  std::fprintf(stderr, "watchdog: ended by signal %d (%s)\n", signal, ::strsignal(signal));
  return 128 + signal;
}
