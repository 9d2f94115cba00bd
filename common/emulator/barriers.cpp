#include "barriers.h"

namespace emulator {

Barriers::Barriers(Core& core) : core_(core), id_of_(core.scheduler.threads()) {}

void Barriers::reset() {
  for_all_.clear();
  named_ = {};
}

// All have come: joins their order, lets them go on, and empties the list.
void Barriers::open(std::vector<int>& arrived) {
  core_.order.meet(arrived);
  for (const int t : arrived) core_.scheduler.wake(t);
  arrived.clear();
  core_.scheduler.may_switch();
}

void Barriers::sync_threads(CallSite at) {
  const int exited = core_.scheduler.exited();
  if (exited > 0) {
    core_.fail(messages::barrier_after_exit, at, {}, core_.who(), at, exited);
  }
  if (!for_all_.empty()) {
    const CallSite first = core_.scheduler.at(for_all_[0]);
    if (!same_place(first, at)) {
      core_.fail(messages::two_barriers, at, first, core_.who(), at, core_.who(for_all_[0]), first);
    }
  }
  for_all_.push_back(core_.self());
  if (static_cast<int>(for_all_.size()) < core_.scheduler.threads()) {
    core_.scheduler.wait_here(Waiting::cta_barrier, at);
    return;
  }
  core_.counters.cta_barriers++;
  open(for_all_);
}

void Barriers::sync_named(uint32_t id, uint32_t threads, CallSite at) {
  const uint32_t all = core_.scheduler.threads();
  if (id == 0 || id >= named_.size() || threads == 0 || threads % lanes_per_warp != 0 ||
      threads > all) {
    core_.fail(messages::bad_named_barrier, at, {}, id, threads, at, all);
  }
  NamedBarrier& barrier = named_[id];
  if (!barrier.arrived.empty() && barrier.threads != threads) {
    core_.fail(messages::two_thread_counts, at, {}, core_.who(), id, at, threads, barrier.threads);
  }
  barrier.threads = threads;
  barrier.arrived.push_back(core_.self());
  id_of_[core_.self()] = id;
  if (barrier.arrived.size() < threads) {
    core_.scheduler.wait_here(Waiting::named_barrier, at);
    return;
  }
  open(barrier.arrived);
}

void Barriers::check_exit() {
  if (for_all_.empty()) return;
  const CallSite at = core_.scheduler.at(for_all_[0]);
  core_.fail(messages::exit_before_barrier, at, {}, core_.who(), for_all_.size(), at);
}

}  // namespace emulator
