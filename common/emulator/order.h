// What happens before what, in one block: two vector clocks for each of its threads.
//
// Entry u of a thread's generic clock says how much of thread u's program order happens before this
// thread's next step; entry u of its async clock says the same for steps that TMA does on this
// thread's behalf. Only a proxy fence takes anything over from the first into the second: the
// thread's own steps. Behind the threads' entries stands one per mbarrier: the number of its phases
// that the thread has acquired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulator {

constexpr int max_mbarriers = 64;

// A clock is a row of counters. Joining two takes the later of each.
using VectorClock = std::vector<uint32_t>;

// What the arrivals of a phase leave on an mbarrier, for those who wait.
struct Published {
  VectorClock generic, async;
  uint32_t depth;  // of the latest event, and that of the phases before
};

class Order {
 public:
  explicit Order(int threads);
  void reset();

  // The steps of a thread, from one point of order to the next, are counted from 1.
  uint32_t epoch(int thread) const { return generic(thread)[thread]; }

  // Does what `other` did in its step `epoch` happen before the next step of `thread`; and before
  // what TMA does when `thread` tells it to?
  bool is_before(int other, uint32_t epoch, int thread) const {
    return generic(thread)[other] >= epoch;
  }
  bool is_before_copies(int other, uint32_t epoch, int thread) const {
    return async(thread)[other] >= epoch;
  }
  bool has_acquired(int thread, int mbarrier, uint32_t phase) const {
    return generic(thread)[threads_ + mbarrier] > phase;
  }

  // What the thread has done in the generic proxy stays before what TMA is told to do by whoever is
  // ordered behind this fence.
  void fence_proxy(int thread);
  void step(int thread) { generic(thread)[thread]++; }

  // A barrier: afterwards each member has before it all that any member had.
  void meet(const std::vector<int>& members);

  // An arrival at an mbarrier; the end of a phase, which begins the next; a wait that returns
  // because `phases` phases have completed.
  Published nothing_published() const { return {VectorClock(size_), VectorClock(size_), 0}; }
  void publish(int thread, Published& on);
  void hand_over(Published& published, Published& done) const;
  void acquire(int thread, const Published& from, int mbarrier, uint32_t phases);

  // The length of the longest chain of events that come before a warp's next one, by its thread.
  uint32_t& depth(int thread);

 private:
  uint32_t* generic(int thread) { return &clocks_[2 * thread * size_]; }
  uint32_t* async(int thread) { return generic(thread) + size_; }
  const uint32_t* generic(int thread) const { return &clocks_[2 * thread * size_]; }
  const uint32_t* async(int thread) const { return generic(thread) + size_; }
  void join(uint32_t* into, const uint32_t* from) const;

  const int threads_;
  const size_t size_;  // of a clock
  std::vector<uint32_t> clocks_;
  std::vector<uint32_t> depths_;  // per warp
  Published joined_;
};

}  // namespace emulator
