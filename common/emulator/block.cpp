// The scheduler: which thread runs next, and what barriers do to the order of events.
#include "block.h"

#include <algorithm>
#include <cstring>

namespace emulator {
namespace {

thread_local Block* current_block = nullptr;

constexpr uint32_t all_lanes = 0xffffffffu;

uint32_t lane_bit(const Thread& thread) { return 1u << (thread.index % lanes_per_warp); }

int lowest_lane(uint32_t lanes) { return __builtin_ctz(lanes); }

}  // namespace

Block& Block::current() { return *current_block; }

Block::Block(unsigned threads, size_t smem_bytes)
    : threads_count_(static_cast<int>(threads)),
      smem_bytes_(smem_bytes),
      clock_size_(static_cast<int>(threads) + max_mbarriers),
      smem_memory_(smem_bytes + 2 * shared_window),
      chunks_((smem_bytes + chunk_bytes - 1) / chunk_bytes),
      threads_(threads),
      warps_(threads / lanes_per_warp),
      clocks_(2 * threads * static_cast<size_t>(clock_size_)),
      joined_generic_(static_cast<size_t>(clock_size_)),
      joined_async_(static_cast<size_t>(clock_size_)) {
  const auto base = reinterpret_cast<uintptr_t>(smem_memory_.data());
  smem_ = smem_memory_.data() + (shared_window - base % shared_window) % shared_window;
}

void Block::reset(unsigned index, const LaunchOptions& options) {
  index_ = index;
  options_ = options;
  random_state_ = options.seed * 0x9e3779b97f4a7c15u + index * 0xbf58476d1ce4e5b9u + 1;
  elected_lane_ = options.schedule == LandingSchedule::eager ? 0
                  : options.schedule == LandingSchedule::lazy
                      ? lanes_per_warp - 1
                      : static_cast<int>(options.seed % lanes_per_warp);
  exited_ = 0;
  result_ = {};
  report_of_key_.clear();
  mbarriers_.clear();
  transfers_.clear();
  buffers_[0].clear();
  buffers_[1].clear();
  in_flight_.clear();
  bytes_in_flight_ = 0;
  cta_barrier_.clear();
  for (NamedBarrier& barrier : named_barriers_) barrier = {};

  const bf16 nan = {0x7fff};
  for (size_t i = 0; i + sizeof nan <= smem_bytes_; i += sizeof nan) {
    std::memcpy(smem_ + i, &nan, sizeof nan);
  }
  for (Chunk& chunk : chunks_) {
    chunk.transfer = chunk.previous = -1;
    chunk.operand = 0;
    chunk.reads.clear();
  }

  std::fill(clocks_.begin(), clocks_.end(), 0u);
  for (Warp& warp : warps_) warp = {all_lanes, 0, {}, 0, 0};
  for (int t = 0; t < threads_count_; t++) {
    Thread& thread = threads_[static_cast<size_t>(t)];
    thread.index = t;
    thread.waiting = Waiting::no;
    thread.generic = &clocks_[2 * static_cast<size_t>(t) * static_cast<size_t>(clock_size_)];
    thread.async = thread.generic + clock_size_;
    thread.epoch() = 1;
    thread.fiber.prepare(thread_main);
  }
}

BlockResult Block::run(
    unsigned index,
    const LaunchOptions& options,
    const std::function<void()>& thread_body) {
  reset(index, options);
  thread_body_ = &thread_body;
  current_block = this;
  blockIdx = {index, 0, 0};

  running_ = &threads_[0];
  if (options.schedule == LandingSchedule::random) running_ = next_ready_at_random();
  threadIdx.x = static_cast<unsigned>(running_->index);
  running_->fiber.switch_from(main_);

  current_block = nullptr;
  return std::move(result_);
}

// --- Threads
// --------------------------------------------------------------------------------------

void Block::thread_main() {
  Fiber::on_entry();
  (*current_block->thread_body_)();
  current_block->finish_thread();
}

void Block::finish_thread() {
  Thread& self = *running_;
  Warp& warp = warp_of(self);
  warp.ready &= ~lane_bit(self);
  self.waiting = Waiting::exited;
  self.at = {};
  exited_++;
  if (warp.collective != 0) {
    const Thread& other = threads_[static_cast<size_t>(
        self.index / lanes_per_warp * lanes_per_warp + lowest_lane(warp.collective))];
    report(HazardRule::divergence, other.at, {}, [&] {
      return who(self.index) + " returned from the kernel while lanes of its warp wait for it at " +
             where(other.at) +
             ".\n  Why: what a warp does together needs all of its 32 lanes.\n"
             "  Mend: take the call out of the condition, or let whole warps take it.";
    });
    stop_block();
  }
  if (!cta_barrier_.empty()) {
    const Thread& other = threads_[static_cast<size_t>(cta_barrier_[0])];
    report(HazardRule::protocol, other.at, {}, [&] {
      return who(self.index) + " returned from the kernel while " +
             std::to_string(cta_barrier_.size()) + " threads wait at __syncthreads() at " +
             where(other.at) +
             ".\n  Why: __syncthreads() needs every thread of the block; inside one warp role the "
             "other roles never come.\n"
             "  Mend: inside a role use mbarriers or named_barrier_sync with the role's threads.";
    });
    stop_block();
  }
  if (exited_ == threads_count_) {
    check_all_copies_awaited();
    stop_block();
  }
  switch_threads();
}

// HazardRule 3 at the end of the block: a copy that nobody waited for may still be in flight, also
// where it happened to land in time.
void Block::check_all_copies_awaited() {
  for (const Transfer& transfer : transfers_) {
    bool awaited = false;
    for (const Thread& thread : threads_) {
      awaited |= thread.generic[threads_count_ + transfer.mbarrier] > transfer.phase;
    }
    if (transfer.complete && awaited) continue;
    report(HazardRule::overlap, transfer.at, {}, [&] {
      return "The block ends while a TMA copy can be in flight, issued by " + who(transfer.thread) +
             " at " + where(transfer.at) + ": " + bytes_of(transfer.dst_addr, &transfer) +
             (transfer.complete ? " (it happened to have landed)" : "") +
             ".\n  Why: nobody waited for it, and the shared memory may belong to the next block "
             "when "
             "the bytes land.\n"
             "  Mend: issue no copy that is not needed, and wait for every one before the block "
             "ends.";
    });
  }
}

// Ends the block: goes back to run(), and leaves the fibers where they are.
void Block::stop_block() {
  Thread& self = *running_;
  for (const Mbarrier& barrier : mbarriers_) {
    if (exited_ == threads_count_ && barrier.tx > 0 && in_flight_.empty()) {
      report(HazardRule::protocol, barrier.expect_at, barrier.init_at, [&] {
        return "The block ends, and " + name(barrier) + " still expects " +
               std::to_string(barrier.tx) + " bytes, announced at " + where(barrier.expect_at) +
               ".\n  Why: expect_tx must equal the bytes that the copies of the phase bring.\n"
               "  Mend: expect exactly the bytes of the boxes that are copied.";
      });
    }
  }
  main_.switch_from(self.fiber);
  __builtin_unreachable();
}

void Block::block_here(Waiting waiting, CallSite at) {
  Thread& self = *running_;
  self.waiting = waiting;
  self.at = at;
  warp_of(self).ready &= ~lane_bit(self);
  switch_threads();
}

void Block::wake(Thread& thread) {
  thread.waiting = Waiting::no;
  warp_of(thread).ready |= lane_bit(thread);
}

// Under the random schedule, any point where threads see each other is a chance for another one.
void Block::may_switch() {
  if (options_.schedule == LandingSchedule::random && random(2) == 0) switch_threads();
}

void Block::switch_threads() {
  Thread* next =
      options_.schedule == LandingSchedule::random ? next_ready_at_random() : next_ready_in_turn();
  if (!next) {
    report_deadlock();
    stop_block();
  }
  if (next == running_) return;
  Thread& previous = *running_;
  running_ = next;
  threadIdx.x = static_cast<unsigned>(next->index);
  next->fiber.switch_from(previous.fiber);
}

// The next lane of this warp, else of the warps behind it. If none can run, the oldest copy lands.
Thread* Block::next_ready_in_turn() {
  const size_t warp = static_cast<size_t>(running_->index / lanes_per_warp);
  while (true) {
    for (size_t i = 0; i < warps_.size(); i++) {
      const size_t w = warp + i < warps_.size() ? warp + i : warp + i - warps_.size();
      const uint32_t ready = warps_[w].ready;
      if (ready != 0) {
        return &threads_[w * lanes_per_warp + static_cast<size_t>(lowest_lane(ready))];
      }
    }
    if (in_flight_.empty()) return nullptr;
    land_all(in_flight_.front());
  }
}

Thread* Block::next_ready_at_random() {
  while (true) {
    // Rows of a copy land between any two steps of the threads.
    if (!in_flight_.empty() && random(4) == 0) {
      const size_t which = random(in_flight_.size());
      const int transfer = in_flight_[which];
      for (uint64_t rows = 1 + random(16); rows > 0; rows--) {
        if (transfers_[static_cast<size_t>(transfer)].complete) break;
        land_row(transfer);
      }
    }
    size_t ready_warps = 0;
    for (const Warp& warp : warps_) ready_warps += warp.ready != 0;
    if (ready_warps == 0) {
      if (in_flight_.empty()) return nullptr;
      land_row(in_flight_[random(in_flight_.size())]);
      continue;
    }
    size_t skip = random(ready_warps);
    for (size_t w = 0; w < warps_.size(); w++) {
      if (warps_[w].ready == 0 || skip-- > 0) continue;
      uint32_t lanes = warps_[w].ready;
      for (uint64_t i = random(static_cast<uint64_t>(__builtin_popcount(lanes))); i > 0; i--) {
        lanes &= lanes - 1;
      }
      return &threads_[w * lanes_per_warp + static_cast<size_t>(lowest_lane(lanes))];
    }
  }
}

// xorshift64*; the seed decides the whole order of a block.
uint64_t Block::random(uint64_t bound) {
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  return (random_state_ * 0x2545f4914f6cdd1du >> 33) % bound;
}

// --- Order of events
// ------------------------------------------------------------------------------

void Block::join(VectorClock into, const uint32_t* from) const {
  for (int i = 0; i < clock_size_; i++) into[i] = std::max(into[i], from[i]);
}

// A barrier: afterwards each member has before it all that any member had.
void Block::join_threads(const std::vector<int>& members) {
  std::fill(joined_generic_.begin(), joined_generic_.end(), 0u);
  std::fill(joined_async_.begin(), joined_async_.end(), 0u);
  uint32_t depth = 0;
  for (const int t : members) {
    depth = std::max(depth, warp_of(threads_[static_cast<size_t>(t)]).depth);
    join(joined_generic_.data(), threads_[static_cast<size_t>(t)].generic);
    join(joined_async_.data(), threads_[static_cast<size_t>(t)].async);
  }
  for (const int t : members) {
    Thread& thread = threads_[static_cast<size_t>(t)];
    std::copy(joined_generic_.begin(), joined_generic_.end(), thread.generic);
    std::copy(joined_async_.begin(), joined_async_.end(), thread.async);
    thread.epoch()++;
    warp_of(thread).depth = depth;
  }
}

// All have come: joins their clocks, lets them go on, and empties the list.
void Block::open_barrier(std::vector<int>& arrived) {
  join_threads(arrived);
  for (const int t : arrived) wake(threads_[static_cast<size_t>(t)]);
  arrived.clear();
}

void Block::syncthreads(CallSite at) {
  if (exited_ > 0) {
    report(HazardRule::protocol, at, {}, [&] {
      return who(running_->index) + " comes to __syncthreads() at " + where(at) + ", but " +
             std::to_string(exited_) +
             " threads of the block have returned.\n"
             "  Why: __syncthreads() needs every thread of the block; inside one warp role the "
             "other roles never come.\n"
             "  Mend: inside a role use mbarriers or named_barrier_sync with the role's threads.";
    });
    stop_block();
  }
  if (!cta_barrier_.empty()) {
    const Thread& first = threads_[static_cast<size_t>(cta_barrier_[0])];
    if (first.at.line != at.line || std::strcmp(first.at.file, at.file) != 0) {
      report(HazardRule::protocol, at, first.at, [&] {
        return who(running_->index) + " comes to __syncthreads() at " + where(at) + " while " +
               who(first.index) + " waits at another one, at " + where(first.at) +
               ".\n  Why: all threads of a block must come to the same __syncthreads(); a CTA "
               "barrier inside a role lets it pair with whatever the others reach.\n"
               "  Mend: inside a role use mbarriers or named_barrier_sync with the role's threads.";
      });
      stop_block();
    }
  }
  cta_barrier_.push_back(running_->index);
  if (static_cast<int>(cta_barrier_.size()) < threads_count_) {
    block_here(Waiting::cta_barrier, at);
    return;
  }
  result_.counters.cta_barriers++;
  open_barrier(cta_barrier_);
  may_switch();
}

void Block::named_barrier_sync(uint32_t id, uint32_t threads, CallSite at) {
  if (id == 0 || id >= named_barriers_.size() || threads == 0 || threads % lanes_per_warp != 0 ||
      threads > static_cast<uint32_t>(threads_count_)) {
    report(HazardRule::protocol, at, {}, [&] {
      return "named_barrier_sync(" + std::to_string(id) + ", " + std::to_string(threads) + ") at " +
             where(at) + ": the id is 1 to 15, and the threads are whole warps of the block's " +
             std::to_string(threads_count_) + " threads.";
    });
    stop_block();
  }
  NamedBarrier& barrier = named_barriers_[id];
  if (!barrier.arrived.empty() && barrier.threads != threads) {
    report(HazardRule::protocol, at, {}, [&] {
      return who(running_->index) + " comes to named barrier " + std::to_string(id) + " at " +
             where(at) + " for " + std::to_string(threads) + " threads; others wait at it for " +
             std::to_string(barrier.threads) + ".";
    });
    stop_block();
  }
  barrier.threads = threads;
  barrier.arrived.push_back(running_->index);
  running_->named_barrier = id;
  if (barrier.arrived.size() < threads) {
    block_here(Waiting::named_barrier, at);
    return;
  }
  open_barrier(barrier.arrived);
  may_switch();
}

void Block::fence_proxy_async() {
  // From here on, what this thread has done in the generic proxy stays before what TMA is told to
  // do by whoever is ordered behind the fence.
  running_->async[running_->index] = running_->epoch();
  running_->epoch()++;
  fence_mbarrier_init();
}

// --- Shared memory
// --------------------------------------------------------------------------------

void* Block::shared_storage_bytes(size_t size) {
  if (size > smem_bytes_) {
    report(HazardRule::address, {}, {}, [&] {
      return "The kernel lays out " + std::to_string(size) +
             " bytes of shared memory, but was launched with " + std::to_string(smem_bytes_) + ".";
    });
    stop_block();
  }
  return smem_;
}

bool Block::in_shared(uint32_t addr, uint32_t bytes) const {
  return addr >= shared_window &&
         addr - shared_window + static_cast<uint64_t>(bytes) <= smem_bytes_;
}

uint32_t Block::shared_addr(const void* object) {
  const auto* byte = static_cast<const uint8_t*>(object);
  return shared_window + static_cast<uint32_t>(byte - smem_);
}

}  // namespace emulator
