// __syncthreads() and named barriers: threads wait for each other, and their order is joined.
#pragma once

#include <array>
#include <vector>

#include "core.h"

namespace emulator {

struct NamedBarrier {
  uint32_t threads = 0;
  std::vector<int> arrived;
};

class Barriers {
 public:
  explicit Barriers(Core& core);
  void reset();

  // The instructions, for the running thread.
  void sync_threads(CallSite at);
  void sync_named(uint32_t id, uint32_t threads, CallSite at);

  // The running thread has returned from the kernel: nobody may wait for it.
  void check_exit();

  // Who waits where.
  const std::vector<int>& waiting_for_all() const { return for_all_; }
  const std::array<NamedBarrier, 16>& named() const { return named_; }
  uint32_t named_barrier_of(int thread) const { return id_of_[thread]; }

 private:
  void open(std::vector<int>& arrived);

  Core& core_;
  std::vector<int> for_all_;  // threads that came to __syncthreads()
  std::array<NamedBarrier, 16> named_;
  std::vector<uint32_t> id_of_;  // per thread: the named barrier that it came to last
};

}  // namespace emulator
