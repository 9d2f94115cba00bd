// One thread block while it runs: the parts that its threads share, put together.
#pragma once

#include <functional>

#include "barriers.h"
#include "collectives.h"
#include "core.h"
#include "fragments.h"
#include "mbarriers.h"
#include "shared_memory.h"
#include "tma.h"

namespace emulator {

// What a block leaves behind.
struct BlockResult {
  Counters counters;
  std::vector<KeyedReport> reports;
};

class Block : private Scheduler::Client {
 public:
  Block(int threads, size_t smem_bytes);

  // Runs block `index`; the object can run one after the other.
  BlockResult run(
      unsigned index,
      const LaunchOptions& options,
      const std::function<void()>& thread_body);

  // The block that runs on this OS thread.
  static Block& current();

  // A thread stores to global memory.
  void note_store() { core.trace.note_once(core.self(), "store"); }

  // Its shared memory, where the launch has so much.
  void* storage(size_t bytes);

  Core core;
  SharedMemory memory;
  Barriers barriers;
  Mbarriers mbarriers;
  Tma tma;
  Collectives collectives;
  Fragments fragments;

 private:
  void run_thread() override;
  size_t copies_in_flight() const override { return tma.copies_in_flight(); }
  void land(size_t copy, uint64_t rows) override { tma.land(copy, rows); }
  void report_deadlock() override;

  const std::function<void()>* thread_body_ = nullptr;
};

}  // namespace emulator
