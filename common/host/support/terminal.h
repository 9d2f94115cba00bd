// Progress, for someone who waits at a terminal.
#pragma once

#include <cstdint>
#include <functional>

// Called now and then with a count of how much is done.
using Progress = std::function<void(const char* what, int64_t done, int64_t total)>;

// Overwrites the last line of a terminal with "WHAT 3 of 8"; elsewhere prints nothing.
void show_progress(const char* what, int64_t done, int64_t total);

// Before something else is printed.
void clear_progress();
