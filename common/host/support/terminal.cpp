#include "terminal.h"

#include <unistd.h>

#include <cstdio>

void show_progress(const char* what, int64_t done, int64_t total) {
  if (total < 2 || !::isatty(STDERR_FILENO)) return;
  std::fprintf(
      stderr, "\r%s %lld of %lld \033[K", what, static_cast<long long>(done + 1),
      static_cast<long long>(total));
}

void clear_progress() {
  if (::isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
}
