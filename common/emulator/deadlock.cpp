// Nothing can run and nothing is in flight: who waits where, and what may be the cause.
#include "block.h"

namespace emulator {
namespace {

// "at 02_warp_specialized/kernel.cuh:85 for parity 0 of ..."
std::string text_of_waiting(const Block& block, int thread) {
  const CallSite at = block.core.scheduler.at(thread);
  switch (block.core.scheduler.waiting(thread)) {
    case Waiting::collective:
      return say(messages::in_collective, name_of(block.collectives.op_of(thread)), at);
    case Waiting::cta_barrier: return say(messages::at_cta_barrier, at);
    case Waiting::named_barrier: {
      const uint32_t id = block.barriers.named_barrier_of(thread);
      const NamedBarrier& barrier = block.barriers.named()[id];
      return say(messages::at_named_barrier, id, at, barrier.arrived.size(), barrier.threads);
    }
    case Waiting::mbarrier: {
      const Mbarriers::Wait& wait = block.mbarriers.wait_of(thread);
      const Mbarrier& barrier = block.mbarriers[wait.barrier];
      return say(
          messages::at_mbarrier, at, wait.parity, block.mbarriers.name(barrier), barrier.phase,
          barrier.phase & 1, barrier.pending, barrier.arrivals, barrier.expected_bytes,
          barrier.expected_bytes - barrier.tx);
    }
    case Waiting::exited: return "returned";
    case Waiting::no: break;
  }
  return "ready";
}

bool lanes_wait_apart(const Block& block) {
  for (int t = 0; t < block.core.scheduler.threads(); t++) {
    const Waiting waiting = block.core.scheduler.waiting(t);
    const bool elsewhere = waiting != Waiting::collective && waiting != Waiting::mbarrier;
    if (elsewhere && block.collectives.is_meeting(t / lanes_per_warp)) return true;
  }
  return false;
}

std::string likely_cause(const Block& block) {
  if (lanes_wait_apart(block)) return say(messages::cause_divergence);
  if (!block.barriers.waiting_for_all().empty()) return say(messages::cause_cta_barrier);
  for (size_t id = 0; id < block.barriers.named().size(); id++) {
    const NamedBarrier& barrier = block.barriers.named()[id];
    if (barrier.arrived.empty()) continue;
    return say(messages::cause_named_barrier, id, barrier.threads, barrier.arrived.size());
  }
  std::string parity_cause;
  for (int t = 0; t < block.core.scheduler.threads(); t++) {
    if (block.core.scheduler.waiting(t) != Waiting::mbarrier) continue;
    const Mbarriers::Wait& wait = block.mbarriers.wait_of(t);
    const Mbarrier& barrier = block.mbarriers[wait.barrier];
    if (barrier.pending == 0 && barrier.tx > 0) {
      return say(
          messages::cause_bytes, barrier.expect_at, barrier.expected_bytes, barrier.issued_bytes);
    }
    const bool untouched = barrier.phase == 0 && barrier.pending == barrier.arrivals;
    if (untouched && wait.parity == 0 && parity_cause.empty()) {
      parity_cause = say(messages::cause_parity, block.core.who(t));
    }
  }
  return parity_cause.empty() ? say(messages::cause_unknown) : parity_cause;
}

}  // namespace

// Neighbouring lanes that wait in the same way share a line.
void Block::report_deadlock() {
  std::string lines, key = "deadlock";
  for (int t = 0; t < core.scheduler.threads();) {
    const int first = t;
    const std::string waiting = text_of_waiting(*this, first);
    for (t++; t % lanes_per_warp != 0 && text_of_waiting(*this, t) == waiting;) t++;
    lines +=
        say(messages::waiting_lanes, first / lanes_per_warp, first % lanes_per_warp,
            (t - 1) % lanes_per_warp, waiting);
    if (core.scheduler.waiting(first) != Waiting::exited) {
      key += "|" + where(core.scheduler.at(first));
    }
  }
  core.reports.add_first(
      key, messages::deadlock.rule,
      say(messages::deadlock, core.block, lines, likely_cause(*this)));
}

}  // namespace emulator
