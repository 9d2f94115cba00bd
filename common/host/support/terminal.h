// Progress, for someone who waits at a terminal.
#pragma once

#include <cstdint>

// Overwrites the last line of a terminal with "WHAT 3 of 8" (`done` counts from 0); elsewhere, and
// of a single step, prints nothing.
void show_progress(const char* what, int64_t done, int64_t total);

// Before something else is printed.
void clear_progress();
