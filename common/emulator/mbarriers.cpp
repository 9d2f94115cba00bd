// mbarriers: PTX ISA, "mbarrier". A phase is complete when no arrival is pending and no byte is
// missing; the next one begins at once.
#include <algorithm>

#include "block.h"

namespace emulator {

void Block::mbarrier_init(uint32_t addr, uint32_t arrivals, CallSite at) {
  if (!in_shared(addr, 8) || addr % 8 != 0) {
    report(HazardRule::address, at, {}, [&] {
      return "mbarrier_init at " + where(at) + ": address " + std::to_string(addr) +
             " is outside the block's shared memory, or not 8-byte aligned.";
    });
    stop_block();
  }
  if (arrivals == 0 || arrivals > static_cast<uint32_t>(max_tx_count)) {
    report(HazardRule::protocol, at, {}, [&] {
      return "mbarrier_init at " + where(at) + ": " + std::to_string(arrivals) +
             " arrivals; a barrier counts 1 to 1048575.";
    });
    stop_block();
  }
  for (const Mbarrier& barrier : mbarriers_) {
    if (barrier.addr != addr) continue;
    report(HazardRule::protocol, at, barrier.init_at, [&] {
      return name(barrier) + " is initialised again at " + where(at) +
             ".\n  Why: others may already use it.\n"
             "  Mend: let one thread initialise each barrier once.";
    });
    stop_block();
  }
  if (mbarriers_.size() == max_mbarriers) {
    report(HazardRule::protocol, at, {}, [&] {
      return "mbarrier_init at " + where(at) + ": the emulator follows " +
             std::to_string(max_mbarriers) + " mbarriers a block, and this is one more.";
    });
    stop_block();
  }
  if (chunk(addr).transfer >= 0) {
    const Transfer& transfer = transfers_[static_cast<size_t>(chunk(addr).transfer)];
    report(HazardRule::overlap, at, transfer.at, [&] {
      return "mbarrier_init at " + where(at) +
             " writes into bytes that a TMA copy fills, issued at " + where(transfer.at) + ": " +
             bytes_of(addr, &transfer) + ".";
    });
    stop_block();
  }

  Mbarrier barrier = {};
  barrier.addr = addr;
  barrier.arrivals = barrier.pending = arrivals;
  barrier.init_at = at;
  barrier.init_thread = running_->index;
  barrier.init_epoch = running_->epoch();
  barrier.generic.resize(static_cast<size_t>(clock_size_));
  barrier.async = barrier.done_generic = barrier.done_async = barrier.generic;
  barrier.waited_phase.assign(static_cast<size_t>(threads_count_), -2);
  barrier.waited_epoch.resize(static_cast<size_t>(threads_count_));
  barrier.waited_at.resize(static_cast<size_t>(threads_count_));
  mbarriers_.push_back(std::move(barrier));
}

void Block::fence_mbarrier_init() {
  for (Mbarrier& barrier : mbarriers_) {
    if (barrier.init_thread != running_->index || barrier.fenced) continue;
    barrier.fenced = true;
    barrier.fence_epoch = running_->epoch();
  }
  running_->epoch()++;
}

// The barrier at `addr`, if the running thread may use it: initialised, fenced for the async proxy,
// and both ordered before this use.
Mbarrier& Block::find_mbarrier(uint32_t addr, CallSite at) {
  for (Mbarrier& barrier : mbarriers_) {
    if (barrier.addr != addr) continue;
    const uint32_t seen = running_->generic[barrier.init_thread];
    if (!barrier.fenced || seen < barrier.fence_epoch) {
      report(HazardRule::protocol, at, barrier.init_at, [&] {
        const char* missing = !barrier.fenced
                                  ? "no fence_mbarrier_init() by the thread that initialised it"
                                  : "no barrier between the initialisation and this use";
        return who(running_->index) + " uses " + name(barrier) + " at " + where(at) + ", but " +
               missing +
               ".\n  Why: TMA and the other threads may still see the bytes from before.\n"
               "  Mend: mbarrier_init, then fence_mbarrier_init() in the same thread, then "
               "__syncthreads(), then use.";
      });
    }
    return barrier;
  }
  report(HazardRule::protocol, at, {}, [&] {
    return who(running_->index) + " uses an mbarrier at address " + std::to_string(addr) + ", at " +
           where(at) +
           ", that was never initialised.\n"
           "  Mend: mbarrier_init, then fence_mbarrier_init() in the same thread, then "
           "__syncthreads(), then use.";
  });
  stop_block();
}

// One arrival; with `expect_bytes` >= 0 the phase also waits for that many bytes.
void Block::mbarrier_arrive(uint32_t addr, int64_t expect_bytes, CallSite at) {
  Mbarrier& barrier = find_mbarrier(addr, at);
  result_.counters.mbarrier_arrives++;
  if (barrier.pending == 0) {
    report(HazardRule::protocol, at, barrier.init_at, [&] {
      return who(running_->index) + " arrives at " + name(barrier) + " at " + where(at) +
             ", but all " + std::to_string(barrier.arrivals) + " arrivals of phase " +
             std::to_string(barrier.phase) +
             " have been made.\n  Why: the count given to mbarrier_init is the number of arrivals "
             "a "
             "phase takes; one more belongs to no phase.\n"
             "  Mend: let the count and the arriving threads agree, and wait for the phase before "
             "arriving at the next.";
    });
  }
  if (expect_bytes > 0) {
    barrier.tx += expect_bytes;
    barrier.expected_bytes += expect_bytes;
    barrier.expect_at = at;
    barrier.announced.push_back({running_->index, running_->epoch(), expect_bytes, at});
    if (barrier.tx > max_tx_count) {
      report(HazardRule::protocol, at, barrier.init_at, [&] {
        return "expect_tx at " + where(at) + " brings the tx-count of " + name(barrier) + " to " +
               std::to_string(barrier.tx) + " bytes; it holds at most " +
               std::to_string(max_tx_count) + ".\n  Mend: copy smaller tiles per barrier.";
      });
      stop_block();
    }
  }
  trace_once("arrive");
  barrier.depth = std::max(barrier.depth, warp_of(*running_).depth);
  if (barrier.pending == 0) return;  // one too many: it belongs to no phase

  // Published: what happens before this arrival. An arrival is no proxy fence: reads that were not
  // fenced stay open to TMA.
  join(barrier.generic.data(), running_->generic);
  join(barrier.async.data(), running_->async);
  running_->epoch()++;
  barrier.pending--;
  complete_phase_if_done(static_cast<int>(&barrier - mbarriers_.data()));
  may_switch();
}

void Block::complete_phase_if_done(int index) {
  Mbarrier& barrier = mbarriers_[static_cast<size_t>(index)];
  if (barrier.pending > 0 || barrier.tx != 0) return;
  check_lapped_waits(barrier);

  barrier.generic.swap(barrier.done_generic);
  barrier.async.swap(barrier.done_async);
  std::fill(barrier.generic.begin(), barrier.generic.end(), 0u);
  std::fill(barrier.async.begin(), barrier.async.end(), 0u);
  barrier.expected_bytes = barrier.issued_bytes = 0;
  barrier.announced.clear();
  barrier.copied_by.clear();
  barrier.done_depth = barrier.depth;
  barrier.pending = barrier.arrivals;
  barrier.phase++;
  for (Thread& thread : threads_) {
    if (thread.waiting == Waiting::mbarrier && thread.mbarrier == index) wake(thread);
  }
}

// A wait tells phases apart by parity, so it must not happen that two complete before a thread
// looks. When phase n completes, each wait for phase n - 1 must be ordered before one of its
// arrivals.
void Block::check_lapped_waits(const Mbarrier& barrier) {
  for (size_t t = 0; t < threads_.size(); t++) {
    if (barrier.waited_phase[t] == -2) continue;
    if (barrier.waited_phase[t] != static_cast<int64_t>(barrier.phase) - 1) continue;
    if (barrier.generic[t] >= barrier.waited_epoch[t]) continue;
    report(HazardRule::protocol, barrier.waited_at[t], barrier.init_at, [&] {
      return "The wait of " + who(static_cast<int>(t)) + " at " + where(barrier.waited_at[t]) +
             " for phase " + std::to_string(barrier.waited_phase[t]) + " of " + name(barrier) +
             " can be lapped: phase " + std::to_string(barrier.phase) +
             " completes without an arrival that is ordered after it.\n"
             "  Why: a wait sees only the parity; two phases later it looks like not complete, and "
             "the thread may wait for ever.\n"
             "  Mend: make each waiting thread, or its warp after __syncwarp(), arrive before the "
             "barrier can be used again.";
    });
  }
}

void Block::mbarrier_wait(uint32_t addr, uint32_t parity, CallSite at) {
  const Mbarrier& barrier = find_mbarrier(addr, at);
  const int index = static_cast<int>(&barrier - mbarriers_.data());
  const size_t self = static_cast<size_t>(running_->index);
  result_.counters.mbarrier_waits++;
  running_->mbarrier = index;
  running_->parity = parity;

  // The phase that this wait means: its thread's next one, or the last one again.
  const int64_t last = barrier.waited_phase[self];
  const bool is_first = last == -2;
  const int64_t meant = is_first                                           ? (parity == 0 ? 0 : -1)
                        : ((last + 1) & 1) == static_cast<int64_t>(parity) ? last + 1
                                                                           : last;
  while (!phase_observed(index, meant, at)) {
    block_here(Waiting::mbarrier, at);
  }
  may_switch();
}

// If the phase of running_->parity is complete, takes over what its arrivals published.
bool Block::phase_observed(int index, int64_t meant, CallSite at) {
  Mbarrier& barrier = mbarriers_[static_cast<size_t>(index)];
  Thread& self = *running_;
  const int64_t completed = static_cast<int64_t>(barrier.phase) - 1;
  if (completed > meant) {
    report(HazardRule::protocol, at, barrier.init_at, [&] {
      return "The wait of " + who(self.index) + " at " + where(at) + " means phase " +
             std::to_string(meant) + " of " + name(barrier) + ", but phase " +
             std::to_string(completed) +
             " has completed: it was lapped.\n"
             "  Why: a wait sees only the parity, and now takes one phase for another or waits for "
             "ever.\n"
             "  Mend: make each waiting thread, or its warp after __syncwarp(), arrive before the "
             "barrier can be used again.";
    });
  }
  if ((completed & 1) != static_cast<int64_t>(self.parity)) return false;

  barrier.waited_phase[static_cast<size_t>(self.index)] = completed;
  barrier.waited_epoch[static_cast<size_t>(self.index)] = self.epoch();
  barrier.waited_at[static_cast<size_t>(self.index)] = at;
  if (completed >= 0) {
    join(self.generic, barrier.done_generic.data());
    join(self.async, barrier.done_async.data());
    uint32_t& acquired = self.generic[threads_count_ + index];
    acquired = std::max(acquired, barrier.phase);
    warp_of(self).depth = std::max(warp_of(self).depth, barrier.done_depth);
  }
  trace_once("wait");
  return true;
}

}  // namespace emulator
