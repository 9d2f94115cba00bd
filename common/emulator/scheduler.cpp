#include "scheduler.h"

#include <cstdlib>

namespace emulator {
namespace {

// Unwinds a thread whose block ends.
struct BlockStopped {};

thread_local Scheduler* current = nullptr;

constexpr int nobody = -1;

int warp_of(int thread) { return thread / lanes_per_warp; }

uint32_t lane_bit(int thread) { return 1u << thread % lanes_per_warp; }

int thread_of(size_t warp, uint32_t lanes) {
  return static_cast<int>(warp) * lanes_per_warp + __builtin_ctz(lanes);
}

}  // namespace

Scheduler::Scheduler(int threads, Client& client)
    : client_(client), threads_(threads), ready_(threads / lanes_per_warp) {}

void Scheduler::run(LandingSchedule schedule, uint64_t seed, unsigned block) {
  current = this;
  schedule_ = schedule;
  random_state_ = seed * 0x9e3779b97f4a7c15u + block * 0xbf58476d1ce4e5b9u + 1;
  exited_ = 0;
  stopping_ = false;
  for (uint32_t& lanes : ready_) lanes = all_lanes;
  for (Thread& thread : threads_) {
    thread.begun = false;
    thread.waiting = Waiting::no;
    thread.fiber.prepare(thread_main);
  }
  running_ = schedule == LandingSchedule::random ? next_ready_at_random() : 0;
  threadIdx.x = static_cast<unsigned>(running_);
  threads_[running_].fiber.switch_from(main_);
}

void Scheduler::thread_main() {
  Fiber::on_entry();
  Scheduler& scheduler = *current;
  scheduler.threads_[scheduler.running_].begun = true;
  try {
    scheduler.client_.run_thread();
  } catch (const BlockStopped&) {
  }
  scheduler.leave_thread();
}

void Scheduler::leave_thread() {
  threads_[running_].waiting = Waiting::exited;
  Fiber& ended = threads_[running_].fiber;
  const int next = next_thread();
  if (next == nobody) main_.switch_from(ended, true);
  go_to(next, true);
  std::abort();  // nobody goes on with a thread that has ended
}

void Scheduler::exit_thread() {
  ready_[warp_of(running_)] &= ~lane_bit(running_);
  threads_[running_].waiting = Waiting::exited;
  threads_[running_].at = {};
  exited_++;
}

void Scheduler::stop() {
  stopping_ = true;
  throw BlockStopped();
}

void Scheduler::wait_here(Waiting waiting, CallSite at) {
  threads_[running_].waiting = waiting;
  threads_[running_].at = at;
  ready_[warp_of(running_)] &= ~lane_bit(running_);
  switch_threads();
}

void Scheduler::wake(int thread) {
  threads_[thread].waiting = Waiting::no;
  ready_[warp_of(thread)] |= lane_bit(thread);
}

void Scheduler::wake_warp(int warp) {
  ready_[warp] = all_lanes;
  const int first = warp * lanes_per_warp;
  for (int t = first; t < first + lanes_per_warp; t++) threads_[t].waiting = Waiting::no;
}

void Scheduler::switch_threads() {
  const int next = next_thread();
  if (next != running_) go_to(next);
  if (stopping_) throw BlockStopped();
}

void Scheduler::go_to(int thread, bool for_good) {
  Fiber& previous = threads_[running_].fiber;
  running_ = thread;
  threadIdx.x = static_cast<unsigned>(thread);
  threads_[thread].fiber.switch_from(previous, for_good);
}

// Who goes on; at the end of the block whoever has to be unwound, then nobody.
int Scheduler::next_thread() {
  if (exited_ == threads()) return nobody;
  if (!stopping_) {
    const bool random = schedule_ == LandingSchedule::random;
    const int next = random ? next_ready_at_random() : next_ready_in_turn();
    if (next != nobody) return next;
    client_.report_deadlock();
    stopping_ = true;
  }
  for (int t = 0; t < threads(); t++) {
    if (threads_[t].begun && threads_[t].waiting != Waiting::exited) return t;
  }
  return nobody;
}

// The next lane of this warp, else of the warps behind it. If none can run, the oldest copy lands.
int Scheduler::next_ready_in_turn() {
  const size_t warp = warp_of(running_);
  while (true) {
    for (size_t i = 0; i < ready_.size(); i++) {
      const size_t w = warp + i < ready_.size() ? warp + i : warp + i - ready_.size();
      if (ready_[w] != 0) return thread_of(w, ready_[w]);
    }
    if (client_.copies_in_flight() == 0) return nobody;
    client_.land(0, UINT64_MAX);
  }
}

int Scheduler::next_ready_at_random() {
  while (true) {
    // Rows of a copy land between any two steps of the threads.
    if (client_.copies_in_flight() > 0 && random(4) == 0) {
      const size_t copy = random(client_.copies_in_flight());
      client_.land(copy, 1 + random(16));
    }
    size_t ready_warps = 0;
    for (const uint32_t lanes : ready_) ready_warps += lanes != 0;
    if (ready_warps == 0) {
      if (client_.copies_in_flight() == 0) return nobody;
      client_.land(random(client_.copies_in_flight()), 1);
      continue;
    }
    size_t skip = random(ready_warps);
    for (size_t w = 0; w < ready_.size(); w++) {
      if (ready_[w] == 0 || skip-- > 0) continue;
      uint32_t lanes = ready_[w];
      for (uint64_t i = random(__builtin_popcount(lanes)); i > 0; i--) lanes &= lanes - 1;
      return thread_of(w, lanes);
    }
  }
}

// xorshift64*; the seed decides the whole order of a block.
uint64_t Scheduler::random(uint64_t bound) {
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  return (random_state_ * 0x2545f4914f6cdd1du >> 33) % bound;
}

}  // namespace emulator
