// One thread block while it runs. Everything that its threads share lives here: the scheduler, the
// shared memory with its shadow, the mbarriers, the TMA transfers, and the order of events.
//
// Order, not luck: each thread has two vector clocks. Entry t of `generic` says how much of thread
// t's program order happens before this thread's next step; `async` says the same for steps that
// TMA does on this thread's behalf. A proxy fence takes the thread's own reads over from the first
// into the second. Behind the threads' entries stands one per mbarrier: the number of its phases
// acquired.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../ptx/ptx.cuh"
#include "emulator.h"
#include "fiber.h"

namespace emulator {

constexpr int lanes_per_warp = 32;
constexpr int max_mbarriers = 64;
constexpr int chunk_bytes = 16;           // TMA and ldmatrix both move whole, aligned 16 bytes
constexpr uint32_t shared_window = 1024;  // address of the first byte, as on the GPU: 1 KB is taken
constexpr int64_t max_tx_count = (1 << 20) - 1;

// The hazard rules of docs/emulator.md.
enum class HazardRule {
  read_too_early,
  refill_too_early,
  overlap,
  protocol,
  divergence,
  fragments,
  address,
  deadlock,
};

// A clock is a row of `size` counters. Joining takes the later of each.
using VectorClock = uint32_t*;

// A read of a chunk, by the thread that named its address.
struct Read {
  int thread;
  uint32_t epoch;  // the reader's own clock at the read
  CallSite at;
};

// Shadow of 16 bytes of shared memory.
struct Chunk {
  int transfer = -1;  // the copy that wrote these bytes last; -1: none
  int previous = -1;  // the one before it
  char operand = 0;   // where they come from, once landed
  int32_t row = 0, col = 0;
  std::vector<Read> reads;  // since that copy
};

// One cp.async.bulk.tensor.
struct Transfer {
  CUtensorMap map;
  uint32_t dst_addr;
  int32_t x, y;
  int mbarrier;    // index
  uint32_t phase;  // of the barrier, in which the bytes complete
  int thread;      // issuer
  CallSite at;
  int buffer;         // which one of its operand, in the order in which they were first filled
  uint32_t depth;     // of its issue
  uint32_t next_row;  // rows below have landed
  bool complete;      // all bytes counted on the barrier

  uint32_t row_bytes() const { return map.box_cols * static_cast<uint32_t>(sizeof(bf16)); }
  uint32_t bytes() const { return row_bytes() * map.box_rows; }
  int k_tile() const { return x / static_cast<int>(map.box_cols); }
};

// Bytes that a thread announces in a phase of a barrier.
struct Announcement {
  int thread;
  uint32_t epoch;  // its clock then
  int64_t bytes;
  CallSite at;
};

struct Mbarrier {
  uint32_t addr;
  uint32_t arrivals;  // that a phase needs
  CallSite init_at;
  int init_thread;
  uint32_t init_epoch;
  bool fenced;  // the initialiser ran fence.mbarrier_init since
  uint32_t fence_epoch;

  uint32_t phase;                        // the current, incomplete one, counted from 0
  uint32_t pending;                      // arrivals still missing in it
  int64_t tx;                            // bytes still missing in it
  int64_t expected_bytes, issued_bytes;  // announced and copied in it
  CallSite expect_at;
  std::vector<Announcement> announced;             // in it
  std::vector<std::pair<int, int64_t>> copied_by;  // in it: thread, bytes

  std::vector<uint32_t> generic, async;            // published by this phase's arrivals
  std::vector<uint32_t> done_generic, done_async;  // by the last completed phase's
  uint32_t depth, done_depth;                      // the latest of those arrivals and landings

  // Per thread: the last phase it waited for (-1: the one before phase 0; -2: it never waited), and
  // its clock when that wait returned.
  std::vector<int64_t> waited_phase;
  std::vector<uint32_t> waited_epoch;
  std::vector<CallSite> waited_at;
};

enum class Op { ldmatrix_x1, ldmatrix_x2, ldmatrix_x4, mma, syncwarp, elect, shuffle };

const char* name_of(Op op);  // "ldmatrix.x4"

enum class Waiting { no, collective, cta_barrier, named_barrier, mbarrier, exited };

// A CUDA thread.
struct Thread {
  Fiber fiber;
  int index = 0;
  Waiting waiting = Waiting::no;
  CallSite at = {};  // where it waits
  VectorClock generic = nullptr;
  VectorClock async = nullptr;

  // Operands of what it waits in.
  Op op = Op::syncwarp;
  uint32_t row_addr = 0;
  std::array<bf16x2*, 4> destinations = {};
  float* acc = nullptr;
  const bf16x2* ra = nullptr;
  const bf16x2* rb = nullptr;
  int shuffled = 0;  // what it gives, then what it gets
  int from_lane = 0;
  int mbarrier = 0;
  uint32_t parity = 0;
  uint32_t named_barrier = 0;

  uint32_t& epoch() { return generic[index]; }
};

struct Warp {
  uint32_t ready = 0;       // a bit per lane
  uint32_t collective = 0;  // lanes that came to the current collective
  // Last k that each accumulator took, by the address of lane 0's registers.
  std::unordered_map<const float*, int32_t> last_k;
  int32_t loaded_k = 0;  // the furthest k that ldmatrix fetched
  uint32_t depth = 0;    // of its last event
};

struct NamedBarrier {
  uint32_t threads = 0;
  std::vector<int> arrived;
};

// What one block leaves behind.
struct BlockResult {
  struct Entry {
    std::string key;
    Report report;
  };
  Counters counters;
  std::vector<Entry> reports;
};

class Block {
 public:
  Block(unsigned threads, size_t smem_bytes);

  // Runs block `index`; the object can run one after the other.
  BlockResult run(
      unsigned index,
      const LaunchOptions& options,
      const std::function<void()>& thread_body);

  // The block that runs on this OS thread.
  static Block& current();

  void* shared_storage_bytes(size_t size);

  // The instructions, called on the running thread (instructions.cpp).
  uint32_t shared_addr(const void* object);
  void ldmatrix(Op op, std::array<bf16x2*, 4> destinations, uint32_t row_addr, CallSite at);
  void mma(float* acc, const bf16x2* ra, const bf16x2* rb, CallSite at);
  void syncwarp(uint32_t mask, CallSite at);
  bool elect(CallSite at);
  int shuffle(int value, int lane, CallSite at);
  void syncthreads(CallSite at);
  void named_barrier_sync(uint32_t id, uint32_t threads, CallSite at);
  void fence_proxy_async();
  void fence_mbarrier_init();
  void mbarrier_init(uint32_t addr, uint32_t arrivals, CallSite at);
  void mbarrier_arrive(uint32_t addr, int64_t expect_bytes, CallSite at);
  void mbarrier_wait(uint32_t addr, uint32_t parity, CallSite at);
  void store();
  void tma_load(uint32_t dst, const CUtensorMap& map, int x, int y, uint32_t mbar, CallSite at);

 private:
  // block.cpp: threads and their order
  void reset(unsigned index, const LaunchOptions& options);
  static void thread_main();
  void block_here(Waiting waiting, CallSite at);
  void wake(Thread& thread);
  void may_switch();
  void switch_threads();
  Thread* next_ready_in_turn();
  Thread* next_ready_at_random();
  void finish_thread();
  void check_all_copies_awaited();
  [[noreturn]] void stop_block();
  uint64_t random(uint64_t bound);
  void join(VectorClock into, const uint32_t* from) const;
  void join_threads(const std::vector<int>& members);
  void join_warp();
  void open_barrier(std::vector<int>& arrived);

  // collectives.cpp
  bool arrive_at_collective(Op op, CallSite at);
  void complete_collective();
  void execute_ldmatrix(int matrices);
  void execute_mma();
  void execute_shuffle();
  void check_mma_operands();

  // mbarriers.cpp
  Mbarrier& find_mbarrier(uint32_t addr, CallSite at);
  void complete_phase_if_done(int index);
  void check_lapped_waits(const Mbarrier& barrier);
  bool phase_observed(int index, int64_t meant, CallSite at);

  // transfers.cpp
  void check_refill(int transfer);
  void check_announced(Mbarrier& barrier, int64_t bytes, CallSite at);
  void begin_flight(int transfer);
  void land_row(int transfer);
  void land_all(int transfer);
  void check_read(uint32_t addr, CallSite at, Thread& reader);
  void report_unacquired_read(
      uint32_t addr,
      CallSite at,
      const Thread& reader,
      const Transfer& transfer);
  void count_wavefronts(const uint32_t* row_addrs, int matrices);
  uint32_t chunk_addr(const Transfer& transfer, uint32_t row, uint32_t chunk) const;

  // trace.cpp
  void trace(const char* kind, const Transfer* transfer, int k);
  void trace_once(const char* kind);
  void trace_landing(const Transfer& transfer);
  void trace_ldmatrix(const Chunk& from);

  // reports.cpp
  template <class Text>
  void report(HazardRule rule, CallSite here, CallSite other, Text text);
  void add_report(const std::string& key, HazardRule rule, std::string text);
  void report_deadlock();
  std::string waiting_text(const Thread& thread) const;
  std::string likely_cause() const;
  std::string where(CallSite at) const;
  std::string who(int thread) const;
  std::string bytes_of(uint32_t addr, const Transfer* transfer) const;
  std::string name(const Mbarrier& barrier) const;

  Warp& warp_of(const Thread& thread) { return warps_[thread.index / lanes_per_warp]; }
  bool in_shared(uint32_t addr, uint32_t bytes) const;
  uint8_t* host(uint32_t addr) { return smem_ + (addr - shared_window); }
  Chunk& chunk(uint32_t addr) { return chunks_[(addr - shared_window) / chunk_bytes]; }

  const int threads_count_;
  const size_t smem_bytes_;
  const int clock_size_;
  std::vector<uint8_t> smem_memory_;
  uint8_t* smem_ = nullptr;  // aligned inside smem_memory_
  std::vector<Chunk> chunks_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<uint32_t> clocks_;
  std::vector<uint32_t> joined_generic_, joined_async_;
  std::vector<Mbarrier> mbarriers_;
  std::array<NamedBarrier, 16> named_barriers_;
  std::vector<int> cta_barrier_;  // threads that came
  std::vector<Transfer> transfers_;
  std::vector<uint32_t> buffers_[2];  // addresses of A's and B's, in order of first use
  std::vector<int> in_flight_;
  uint64_t bytes_in_flight_ = 0;

  Fiber main_;
  Thread* running_ = nullptr;
  const std::function<void()>* thread_body_ = nullptr;
  int exited_ = 0;
  unsigned index_ = 0;
  LaunchOptions options_;
  uint64_t random_state_ = 0;
  int elected_lane_ = 0;  // of every warp
  BlockResult result_;
  std::unordered_map<std::string, size_t> report_of_key_;
};

// Counts a broken rule; `text` is called for the first of its kind at these two lines.
template <class Text>
void Block::report(HazardRule rule, CallSite here, CallSite other, Text text) {
  const std::string key =
      std::to_string(static_cast<int>(rule)) + "|" + where(here) + "|" + where(other);
  const auto seen = report_of_key_.find(key);
  if (seen != report_of_key_.end()) {
    result_.reports[seen->second].report.count++;
  } else {
    add_report(key, rule, text());
  }
}

}  // namespace emulator
