// The timeline: what the warps of block 0 did, in which order. Each event stands one step behind
// the latest event that it had to wait for, so things that could happen together stand side by
// side.
#pragma once

#include "emulator.h"
#include "order.h"
#include "shared_memory.h"

namespace emulator {

class Trace {
 public:
  explicit Trace(Order& order) : order_(order) {}

  // `events` may be nullptr.
  void reset(std::vector<TraceEvent>* events);

  // An event of the thread's warp: with the copy that it is about, or nullptr; `k` is its first
  // element along K, or -1.
  void note(int thread, const char* kind, const Transfer* copy, int k);

  // What each lane does for itself: the first lane's event stands for the warp's.
  void note_once(int thread, const char* kind) {
    if (thread % lanes_per_warp == 0) note(thread, kind, nullptr, -1);
  }

  void note_landing(const Transfer& copy);

 private:
  Order& order_;
  std::vector<TraceEvent>* events_ = nullptr;
  int k_tile_elems_ = 0;  // of the first copy; 0: there was none
};

}  // namespace emulator
