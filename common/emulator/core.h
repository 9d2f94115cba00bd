// What every part of a block builds on: who runs, what happens before what, and where counts,
// events and broken rules go.
#pragma once

#include "counters.h"
#include "order.h"
#include "reports.h"
#include "scheduler.h"
#include "trace.h"

namespace emulator {

struct Core {
  Core(int threads, Scheduler::Client& client)
      : scheduler(threads, client), order(threads), trace(order) {}

  Scheduler scheduler;
  Order order;
  Trace trace;
  Reports reports;
  Counters counters;
  unsigned block = 0;

  int self() const { return scheduler.running(); }
  int warp() const { return self() / lanes_per_warp; }
  Who who(int thread) const { return {block, thread}; }
  Who who() const { return who(self()); }

  // A broken rule behind which the block cannot go on.
  template <class... Facts>
  [[noreturn]] void fail(
      Message<sizeof...(Facts)> message,
      CallSite here,
      CallSite other,
      const Facts&... facts) {
    reports.add(message, here, other, facts...);
    scheduler.stop();
  }
};

}  // namespace emulator
