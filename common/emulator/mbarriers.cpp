#include "mbarriers.h"

#include <algorithm>
namespace emulator {

Mbarriers::Mbarriers(Core& core, SharedMemory& memory)
    : core_(core), memory_(memory), waits_(core.scheduler.threads()) {}

BarrierName Mbarriers::name(const Mbarrier& barrier) const {
  int number = 0;
  for (const Mbarrier* other = barriers_.data(); other != &barrier; other++) {
    number += other->init_at.line == barrier.init_at.line;
  }
  return {barrier.init_at, number};
}

// --- Initialisation

void Mbarriers::init(uint32_t addr, uint32_t arrivals, CallSite at) {
  check_init(addr, arrivals, at);
  Mbarrier barrier = {};
  barrier.addr = addr;
  barrier.arrivals = barrier.pending = arrivals;
  barrier.init_at = at;
  barrier.init_thread = core_.self();
  barrier.published = barrier.done = core_.order.nothing_published();
  barrier.last_waits.resize(core_.scheduler.threads());
  barriers_.push_back(std::move(barrier));
}

void Mbarriers::check_init(uint32_t addr, uint32_t arrivals, CallSite at) {
  if (!memory_.contains(addr, 8) || addr % 8 != 0) {
    core_.fail(messages::bad_init_address, at, {}, at, addr);
  }
  if (arrivals == 0 || arrivals > max_tx_count) {
    core_.fail(messages::bad_init_count, at, {}, at, arrivals);
  }
  for (const Mbarrier& other : barriers_) {
    if (other.addr != addr) continue;
    core_.fail(messages::init_again, at, other.init_at, name(other), at);
  }
  if (barriers_.size() == max_mbarriers) {
    core_.fail(messages::too_many_mbarriers, at, {}, at, max_mbarriers);
  }
  if (const Transfer* copy = memory_.writer(addr)) {
    core_.fail(messages::init_in_a_copy, at, copy->at, at, copy->at, Bytes{addr, copy});
  }
}

void Mbarriers::fence_init() {
  const int self = core_.self();
  for (Mbarrier& barrier : barriers_) {
    if (barrier.init_thread != self || barrier.fenced) continue;
    barrier.fenced = true;
    barrier.fence_epoch = core_.order.epoch(self);
  }
  core_.order.step(self);
}

int Mbarriers::find(uint32_t addr, CallSite at) {
  for (size_t i = 0; i < barriers_.size(); i++) {
    const Mbarrier& barrier = barriers_[i];
    if (barrier.addr != addr) continue;
    const int init_thread = barrier.init_thread;
    const bool ordered = core_.order.is_before(init_thread, barrier.fence_epoch, core_.self());
    if (!barrier.fenced || !ordered) {
      core_.reports.add(
          barrier.fenced ? messages::init_not_ordered : messages::init_not_fenced, at,
          barrier.init_at, core_.who(), name(barrier), at);
    }
    return static_cast<int>(i);
  }
  core_.fail(messages::never_initialised, at, {}, core_.who(), addr, at);
}

// --- Arrivals and bytes

// One arrival; with `expect_bytes` > 0 the phase also waits for that many bytes.
void Mbarriers::arrive(uint32_t addr, int64_t expect_bytes, CallSite at) {
  const int self = core_.self();
  const int index = find(addr, at);
  Mbarrier& barrier = barriers_[index];
  core_.counters.mbarrier_arrives++;
  if (barrier.pending == 0) {
    core_.reports.add(
        messages::extra_arrival, at, barrier.init_at, core_.who(), name(barrier), at,
        barrier.arrivals, barrier.phase);
  }
  if (expect_bytes > 0) {
    barrier.tx += expect_bytes;
    barrier.expected_bytes += expect_bytes;
    barrier.expect_at = at;
    barrier.announced.push_back({self, core_.order.epoch(self), expect_bytes, at});
    if (barrier.tx > max_tx_count) {
      core_.fail(
          messages::tx_overflow, at, barrier.init_at, at, name(barrier), barrier.tx, max_tx_count);
    }
  }
  core_.trace.note_once(self, "arrive");
  if (barrier.pending == 0) return;  // one too many: it belongs to no phase

  core_.order.publish(self, barrier.published);
  barrier.pending--;
  complete_phase_if_done(index);
  core_.scheduler.may_switch();
}

void Mbarriers::count_issue(int index, int64_t bytes, CallSite at) {
  Mbarrier& barrier = barriers_[index];
  barrier.issued_bytes += bytes;
  if (barrier.issued_bytes <= barrier.expected_bytes) return check_announced(barrier, bytes, at);
  const std::string announced =
      !barrier.expect_at.file ? say(messages::announced_none)
      : barrier.expected_bytes > 0
          ? say(messages::announced_so_many, barrier.expect_at, barrier.expected_bytes)
          : say(messages::announced_before, barrier.expect_at);
  core_.reports.add(
      messages::bytes_not_announced, at, barrier.init_at, at, core_.who(), name(barrier),
      barrier.issued_bytes, announced);
}

// The bytes that this thread copies must be announced by itself, or ordered before the copy: that
// they were announced in this run may be luck.
void Mbarriers::check_announced(Mbarrier& barrier, int64_t bytes, CallSite at) {
  const int self = core_.self();
  int64_t open = bytes;
  for (const auto& [thread, copied] : barrier.copied_by) {
    if (thread == self) open += copied;
  }
  const Announcement* unordered = nullptr;
  for (const Announcement& announced : barrier.announced) {
    if (core_.order.is_before(announced.thread, announced.epoch, self)) {
      open -= announced.bytes;
    } else {
      unordered = &announced;
    }
  }
  barrier.copied_by.push_back({self, bytes});
  if (open <= 0 || unordered == nullptr) return;
  core_.reports.add(
      messages::announced_elsewhere, at, unordered->at, at, core_.who(), name(barrier),
      core_.who(unordered->thread), unordered->at);
}

void Mbarriers::count_landing(Transfer& copy) {
  Mbarrier& barrier = barriers_[copy.mbarrier];
  copy.phase = barrier.phase;
  barrier.published.depth = std::max(barrier.published.depth, copy.depth + 1);
  barrier.tx -= copy.bytes();
  complete_phase_if_done(copy.mbarrier);
}

void Mbarriers::complete_phase_if_done(int index) {
  Mbarrier& barrier = barriers_[index];
  if (barrier.pending > 0 || barrier.tx != 0) return;
  check_lapped_waits(barrier);

  core_.order.hand_over(barrier.published, barrier.done);
  barrier.expected_bytes = barrier.issued_bytes = 0;
  barrier.announced.clear();
  barrier.copied_by.clear();
  barrier.pending = barrier.arrivals;
  barrier.phase++;
  for (int t = 0; t < core_.scheduler.threads(); t++) {
    const bool waits = core_.scheduler.waiting(t) == Waiting::mbarrier;
    if (waits && waits_[t].barrier == index) core_.scheduler.wake(t);
  }
}

// A wait tells phases apart by parity, so it must not happen that two complete before a thread
// looks. When phase n completes, each wait for phase n - 1 must be ordered before one of its
// arrivals.
void Mbarriers::check_lapped_waits(const Mbarrier& barrier) {
  for (int t = 0; t < core_.scheduler.threads(); t++) {
    const LastWait& last = barrier.last_waits[t];
    if (last.phase == never || last.phase != static_cast<int64_t>(barrier.phase) - 1) continue;
    if (barrier.published.generic[t] >= last.epoch) continue;
    core_.reports.add(
        messages::lapped_wait, last.at, barrier.init_at, core_.who(t), last.at, last.phase,
        name(barrier), barrier.phase);
  }
}

void Mbarriers::check_end() {
  for (const Mbarrier& barrier : barriers_) {
    if (barrier.tx <= 0) continue;
    core_.reports.add(
        messages::bytes_never_copied, barrier.expect_at, barrier.init_at, name(barrier), barrier.tx,
        barrier.expect_at);
  }
}

// --- Waits

void Mbarriers::wait(uint32_t addr, uint32_t parity, CallSite at) {
  const int self = core_.self();
  const int index = find(addr, at);
  core_.counters.mbarrier_waits++;
  waits_[self] = {index, parity};

  // The phase that this wait means: its thread's next one, or the last one again.
  const int64_t last = barriers_[index].last_waits[self].phase;
  int64_t meant = last;
  if (last == never) {
    meant = parity == 0 ? 0 : -1;
  } else if (((last + 1) & 1) == static_cast<int64_t>(parity)) {
    meant = last + 1;
  }
  while (!phase_observed(index, meant, at)) {
    core_.scheduler.wait_here(Waiting::mbarrier, at);
  }
  core_.scheduler.may_switch();
}

// If the phase that the running thread waits for is complete, takes over what its arrivals
// published.
bool Mbarriers::phase_observed(int index, int64_t meant, CallSite at) {
  Mbarrier& barrier = barriers_[index];
  const int self = core_.self();
  const int64_t completed = static_cast<int64_t>(barrier.phase) - 1;
  if (completed > meant) {
    core_.reports.add(
        messages::late_wait, at, barrier.init_at, core_.who(), at, meant, name(barrier), completed);
  }
  if ((completed & 1) != static_cast<int64_t>(waits_[self].parity)) return false;

  barrier.last_waits[self] = {completed, core_.order.epoch(self), at};
  if (completed >= 0) core_.order.acquire(self, barrier.done, index, barrier.phase);
  core_.trace.note_once(self, "wait");
  return true;
}

}  // namespace emulator
