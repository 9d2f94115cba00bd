// Prints the rows of docs/reference.md for the counters of the emulator that are keys of the JSON.
#include <cstdio>

#include "../../emulator/counters.h"

int main() {
  for (const emulator::CounterRow& row : emulator::counter_rows) {
    if (!row.in_json) continue;
    const char* const gap = row.meaning[0] == 0 ? "" : " ";
    std::printf("| `%s` | %s |%s%s | on a GPU |\n", row.name, row.unit, gap, row.meaning);
  }
  return 0;
}
