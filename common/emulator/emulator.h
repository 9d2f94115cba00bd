// The emulator, seen from the host: run a kernel's threads, get counts and reports.
// docs/emulator.md says what is modelled and what is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "counters.h"

namespace emulator {

constexpr int lanes_per_warp = 32;

// One thing that a warp or TMA did, for a timeline. `depth` is the length of the longest chain of
// events that had to come before: order, not time.
struct TraceEvent {
  uint32_t depth;
  int warp;
  const char* kind;  // tma_issue tma_land wait arrive ldmatrix mma store
  char operand;      // 'A' or 'B'; 0: neither
  int buffer;        // of its operand in shared memory, -1: none
  int k_tile;        // -1: none
  int k;             // first element along K, -1: none
};

// When a TMA transfer's bytes land, and in which order threads run: the values of --schedule.
enum class LandingSchedule {
  eager,   // bytes land when the copy is issued; warps in turn
  lazy,    // bytes land when nothing else can run; warps in turn
  random,  // warps, lanes and landings in an order that the seed determines
};

struct LaunchOptions {
  LandingSchedule schedule = LandingSchedule::eager;
  uint64_t seed = 0;
  std::vector<TraceEvent>* trace = nullptr;  // gets the events of block 0
};

// One broken rule. The same fault is reported once, with the number of times it was seen.
struct Report {
  enum class Kind {
    raw,       // rule 1: shared memory is read before its copy has been waited for
    war,       // rule 2: shared memory is refilled before its reads are ordered
    other,     // rules 3 and 4, and misuse of an instruction
    deadlock,  // nothing can run and nothing is in flight
  };
  Kind kind;
  std::string text;
  uint64_t count;
};

struct LaunchResult {
  Counters counters;
  std::vector<Report> reports;

  // How often rules of this kind were broken.
  uint64_t count(Report::Kind kind) const;
};

// Runs `blocks` blocks of `threads` threads (a multiple of 32, at most 1024), each thread calling
// `thread_body`; blocks run in parallel on the machine's cores. `smem_bytes` is the dynamic shared
// memory of a block. Deterministic for given options, whatever the number of cores.
LaunchResult launch(
    unsigned blocks,
    unsigned threads,
    size_t smem_bytes,
    const LaunchOptions& options,
    const std::function<void()>& thread_body);

}  // namespace emulator
