// A launch: blocks over the machine's cores, and their results put together in block order, so that
// the outcome does not depend on how many cores there are.
#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include "block.h"

namespace emulator {

uint64_t LaunchResult::count(Report::Kind kind) const {
  uint64_t total = 0;
  for (const Report& report : reports) total += report.kind == kind ? report.count : 0;
  return total;
}

namespace {

LaunchResult merge(std::vector<BlockResult> blocks) {
  Counters counters;
  Reports reports;
  for (BlockResult& block : blocks) {
    counters += block.counters;
    for (KeyedReport& report : block.reports) reports.merge(std::move(report));
  }
  LaunchResult merged = {counters, {}};
  for (KeyedReport& each : reports.take()) merged.reports.push_back(std::move(each.report));
  return merged;
}

}  // namespace

LaunchResult launch(
    unsigned blocks,
    unsigned threads,
    size_t smem_bytes,
    const LaunchOptions& options,
    const std::function<void()>& thread_body) {
  std::vector<BlockResult> results(blocks);
  std::atomic<unsigned> next = 0;
  auto work = [&] {
    blockDim = {threads, 1, 1};
    gridDim = {blocks, 1, 1};
    Block block(static_cast<int>(threads), smem_bytes);
    for (unsigned index = next++; index < blocks; index = next++) {
      results[index] = block.run(index, options, thread_body);
    }
  };
  std::vector<std::thread> workers;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t most = std::min({cores, size_t{blocks}, Fiber::most() / threads});
  try {
    for (size_t i = 1; i < most; i++) workers.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads: those that there are do the work
  }
  work();
  for (std::thread& worker : workers) worker.join();
  return merge(std::move(results));
}

}  // namespace emulator
