// Which thread of the block runs next. A thread is a fiber; all of them run on one OS thread, one
// at a time, until they wait.
#pragma once

#include <cstdint>
#include <vector>

#include "../ptx/ptx.cuh"
#include "emulator.h"
#include "fiber.h"

namespace emulator {

constexpr uint32_t all_lanes = 0xffffffffu;

enum class Waiting { no, collective, cta_barrier, named_barrier, mbarrier, exited };

class Scheduler {
 public:
  // What the scheduler asks of the block around it.
  class Client {
   public:
    virtual void run_thread() = 0;                      // the kernel, on the running thread
    virtual size_t copies_in_flight() const = 0;        // of TMA, oldest first
    virtual void land(size_t copy, uint64_t rows) = 0;  // at most so many of its rows
    virtual void report_deadlock() = 0;

   protected:
    ~Client() = default;
  };

  Scheduler(int threads, Client& client);

  // Runs all threads until the last one returns or the block is stopped.
  void run(LandingSchedule schedule, uint64_t seed, unsigned block);

  int running() const { return running_; }
  int threads() const { return static_cast<int>(threads_.size()); }
  int exited() const { return exited_; }
  Waiting waiting(int thread) const { return threads_[thread].waiting; }
  CallSite at(int thread) const { return threads_[thread].at; }  // where it waits

  // The running thread waits, at this line of the kernel, until another one wakes it.
  void wait_here(Waiting waiting, CallSite at);
  void wake(int thread);
  void wake_warp(int warp);

  // Under the random schedule, any point where threads see each other is a chance for another one.
  void may_switch() {
    if (schedule_ == LandingSchedule::random && random(2) == 0) switch_threads();
  }

  // The running thread has returned from the kernel.
  void exit_thread();

  // Ends the block: every thread that has begun leaves the kernel by an exception, so that whatever
  // it owns is destroyed. What the destructors then ask of the block is not to be done.
  [[noreturn]] void stop();
  bool stopping() const { return stopping_; }

 private:
  struct Thread {
    Fiber fiber;
    bool begun;
    Waiting waiting;
    CallSite at;
  };

  static void thread_main();
  [[noreturn]] void leave_thread();
  void switch_threads();
  void go_to(int thread, bool for_good = false);
  int next_thread();
  int next_ready_in_turn();
  int next_ready_at_random();
  uint64_t random(uint64_t bound);

  Client& client_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> ready_;  // per warp, a bit per lane
  Fiber main_;
  int running_ = 0;
  int exited_ = 0;
  bool stopping_ = false;
  LandingSchedule schedule_ = LandingSchedule::eager;
  uint64_t random_state_ = 0;
};

}  // namespace emulator
