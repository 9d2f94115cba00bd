#include "order.h"

#include <algorithm>

#include "emulator.h"

namespace emulator {
namespace {

void clear(VectorClock& clock) { std::fill(clock.begin(), clock.end(), 0u); }

}  // namespace

Order::Order(int threads)
    : threads_(threads),
      size_(threads + max_mbarriers),
      clocks_(2 * threads * size_),
      depths_(threads / lanes_per_warp),
      joined_(nothing_published()) {}

void Order::reset() {
  clear(clocks_);
  clear(depths_);
  for (int t = 0; t < threads_; t++) step(t);
}

uint32_t& Order::depth(int thread) { return depths_[thread / lanes_per_warp]; }

void Order::join(uint32_t* into, const uint32_t* from) const {
  for (size_t i = 0; i < size_; i++) into[i] = std::max(into[i], from[i]);
}

void Order::fence_proxy(int thread) {
  async(thread)[thread] = epoch(thread);
  step(thread);
}

void Order::meet(const std::vector<int>& members) {
  clear(joined_.generic);
  clear(joined_.async);
  uint32_t latest = 0;
  for (const int t : members) {
    join(joined_.generic.data(), generic(t));
    join(joined_.async.data(), async(t));
    latest = std::max(latest, depth(t));
  }
  for (const int t : members) {
    std::copy(joined_.generic.begin(), joined_.generic.end(), generic(t));
    std::copy(joined_.async.begin(), joined_.async.end(), async(t));
    step(t);
    depth(t) = latest;
  }
}

// An arrival is no proxy fence: reads that were not fenced stay open to TMA.
void Order::publish(int thread, Published& on) {
  join(on.generic.data(), generic(thread));
  join(on.async.data(), async(thread));
  step(thread);
  on.depth = std::max(on.depth, depth(thread));
}

void Order::hand_over(Published& published, Published& done) const {
  published.generic.swap(done.generic);
  published.async.swap(done.async);
  done.depth = published.depth;
  clear(published.generic);
  clear(published.async);
}

void Order::acquire(int thread, const Published& from, int mbarrier, uint32_t phases) {
  join(generic(thread), from.generic.data());
  join(async(thread), from.async.data());
  uint32_t& acquired = generic(thread)[threads_ + mbarrier];
  acquired = std::max(acquired, phases);
  depth(thread) = std::max(depth(thread), from.depth);
}

}  // namespace emulator
