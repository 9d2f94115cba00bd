#include "block.h"

#include "hazards.h"

namespace emulator {
namespace {

thread_local Block* current_block = nullptr;

}  // namespace

Block& Block::current() { return *current_block; }

Block::Block(int threads, size_t smem_bytes)
    : core(threads, *this),
      memory(smem_bytes),
      barriers(core),
      mbarriers(core, memory),
      tma(core, memory, mbarriers),
      collectives(core),
      fragments(core, memory, tma, collectives) {}

BlockResult Block::run(
    unsigned index,
    const LaunchOptions& options,
    const std::function<void()>& thread_body) {
  core.block = index;
  core.counters = {};
  core.order.reset();
  core.trace.reset(index == 0 ? options.trace : nullptr);
  core.reports.reset();
  memory.reset();
  barriers.reset();
  mbarriers.reset();
  tma.reset(options.schedule);
  collectives.reset(options);
  fragments.reset();

  thread_body_ = &thread_body;
  current_block = this;
  blockIdx = {index, 0, 0};
  core.scheduler.run(options.schedule, options.seed, index);
  current_block = nullptr;
  return {core.counters, core.reports.take()};
}

void Block::run_thread() {
  (*thread_body_)();
  core.scheduler.exit_thread();
  collectives.check_exit();
  barriers.check_exit();
  if (core.scheduler.exited() < core.scheduler.threads()) return;
  check_all_awaited(core, memory);
  if (tma.copies_in_flight() == 0) mbarriers.check_end();
}

void* Block::storage(size_t bytes) {
  if (bytes > memory.bytes()) {
    core.fail(messages::small_launch, {}, {}, bytes, memory.bytes());
  }
  return memory.begin();
}

}  // namespace emulator
