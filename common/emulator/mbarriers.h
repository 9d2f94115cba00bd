// mbarriers: PTX ISA, "mbarrier". A phase is complete when no arrival is pending and no byte is
// missing; the next one begins at once.
#pragma once

#include <utility>

#include "core.h"
#include "shared_memory.h"

namespace emulator {

constexpr int64_t max_tx_count = (1 << 20) - 1;
constexpr int64_t never = -2;  // no phase: the one before phase 0 is -1

// Bytes that a thread announces in a phase of a barrier.
struct Announcement {
  int thread;
  uint32_t epoch;
  int64_t bytes;
  CallSite at;
};

// The last wait of a thread at a barrier.
struct LastWait {
  int64_t phase = never;
  uint32_t epoch = 0;  // of the thread, when the wait returned
  CallSite at = {};
};

struct Mbarrier {
  uint32_t addr;
  uint32_t arrivals;  // that a phase needs
  CallSite init_at;
  int init_thread;
  bool fenced;  // the initialiser ran fence.mbarrier_init since
  uint32_t fence_epoch;

  uint32_t phase;                        // the current, incomplete one, counted from 0
  uint32_t pending;                      // arrivals still missing in it
  int64_t tx;                            // bytes still missing in it
  int64_t expected_bytes, issued_bytes;  // announced and copied in it
  CallSite expect_at;
  std::vector<Announcement> announced;             // in it
  std::vector<std::pair<int, int64_t>> copied_by;  // in it: thread, bytes

  Published published, done;         // by this phase's arrivals, and by the last completed phase's
  std::vector<LastWait> last_waits;  // per thread
};

class Mbarriers {
 public:
  Mbarriers(Core& core, SharedMemory& memory);
  void reset() { barriers_.clear(); }

  // The instructions, for the running thread.
  void init(uint32_t addr, uint32_t arrivals, CallSite at);
  void fence_init();
  void arrive(uint32_t addr, int64_t expect_bytes, CallSite at);
  void wait(uint32_t addr, uint32_t parity, CallSite at);

  // The barrier at `addr`, if the running thread may use it: initialised, fenced for the async
  // proxy, and both ordered before this use.
  int find(uint32_t addr, CallSite at);

  // The running thread issues a copy that completes on the barrier; a copy has landed.
  void count_issue(int barrier, int64_t bytes, CallSite at);
  void count_landing(Transfer& copy);

  // The block is over.
  void check_end();

  const Mbarrier& operator[](int index) const { return barriers_[index]; }
  BarrierName name(const Mbarrier& barrier) const;

  // What a thread that waits here waits for.
  struct Wait {
    int barrier;
    uint32_t parity;
  };
  const Wait& wait_of(int thread) const { return waits_[thread]; }

 private:
  void check_init(uint32_t addr, uint32_t arrivals, CallSite at);
  void check_announced(Mbarrier& barrier, int64_t bytes, CallSite at);
  void complete_phase_if_done(int index);
  void check_lapped_waits(const Mbarrier& barrier);
  bool phase_observed(int index, int64_t meant, CallSite at);

  Core& core_;
  SharedMemory& memory_;
  std::vector<Mbarrier> barriers_;
  std::vector<Wait> waits_;  // per thread
};

}  // namespace emulator
