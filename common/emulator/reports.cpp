// Words for what went wrong: who, where, which bytes, why, and how to mend it.
#include <algorithm>
#include <cstdio>

#include "block.h"

namespace emulator {

// "02_warp_specialized/kernel.cuh:85"
std::string Block::where(CallSite at) const {
  if (!at.file) return "an unknown line";
  std::string file = at.file;
  const size_t up = file.rfind("../");
  if (up != std::string::npos) file.erase(0, up + 3);
  return file + ":" + std::to_string(at.line);
}

std::string Block::who(int thread) const {
  return "block " + std::to_string(index_) + ", warp " + std::to_string(thread / lanes_per_warp) +
         ", lane " + std::to_string(thread % lanes_per_warp);
}

std::string Block::name(const Mbarrier& barrier) const {
  int number = 0;
  for (const Mbarrier& other : mbarriers_) {
    if (&other == &barrier) break;
    number += other.init_at.line == barrier.init_at.line;
  }
  return "the mbarrier initialised at " + where(barrier.init_at) + " (number " +
         std::to_string(number) + " of that line)";
}

// "A, buffer 1, row 16, columns 8 to 15, k-tile 3; shared memory 0x2410 to 0x241f"
std::string Block::bytes_of(uint32_t addr, const Transfer* transfer) const {
  char range[64];
  std::snprintf(
      range, sizeof range, "shared memory 0x%x to 0x%x", addr - shared_window,
      addr - shared_window + chunk_bytes - 1);
  if (!transfer) return range;

  // Undo the swizzle: it is its own inverse, row by row.
  for (uint32_t row = 0; row < transfer->map.box_rows; row++) {
    for (uint32_t c = 0; c < transfer->row_bytes() / chunk_bytes; c++) {
      if (chunk_addr(*transfer, row, c) != addr) continue;
      const uint32_t col = c * chunk_bytes / sizeof(bf16);
      return std::string(1, transfer->map.operand) + ", buffer " +
             std::to_string(transfer->buffer) + ", row " + std::to_string(row) + ", columns " +
             std::to_string(col) + " to " + std::to_string(col + 7) + ", k-tile " +
             std::to_string(transfer->k_tile()) + "; " + range;
    }
  }
  return range;
}

void Block::add_report(const std::string& key, HazardRule rule, std::string text) {
  static const struct {
    Report::Kind kind;
    const char* title;
    const char* page;
  } titles[] = {
      {Report::Kind::raw, "Read too early (rule 1)", "rule-1-read-too-early"},
      {Report::Kind::war, "Refill too early (rule 2)", "rule-2-refill-too-early"},
      {Report::Kind::other, "Overlap (rule 3)", "rule-3-overlap"},
      {Report::Kind::other, "Protocol (rule 4)", "rule-4-protocol"},
      {Report::Kind::other, "Divergent warp", "divergence"},
      {Report::Kind::other, "Wrong fragments", "fragments"},
      {Report::Kind::other, "Bad address", "addresses"},
      {Report::Kind::deadlock, "Deadlock", "deadlock"},
  };
  const auto& title = titles[static_cast<int>(rule)];
  text = std::string(title.title) + "\n  " + text + "\n  See: docs/emulator.md#" + title.page;
  report_of_key_[key] = result_.reports.size();
  result_.reports.push_back({key, {title.kind, std::move(text), 1}});
}

// --- Deadlock
// -------------------------------------------------------------------------------------

// "warp 0, lanes 0-31: waits at 02_warp_specialized/kernel.cuh:85 for ..."
std::string Block::waiting_text(const Thread& thread) const {
  switch (thread.waiting) {
    case Waiting::collective:
      return std::string("in ") + name_of(thread.op) + " at " + where(thread.at) +
             ", for the other lanes";
    case Waiting::cta_barrier: return "at __syncthreads() at " + where(thread.at);
    case Waiting::named_barrier: {
      const NamedBarrier& barrier = named_barriers_[thread.named_barrier];
      return "at named barrier " + std::to_string(thread.named_barrier) + " at " +
             where(thread.at) + "; " + std::to_string(barrier.arrived.size()) + " of " +
             std::to_string(barrier.threads) + " threads have come";
    }
    case Waiting::exited: return "returned";
    case Waiting::no: return "ready";
    case Waiting::mbarrier: break;
  }
  const Mbarrier& barrier = mbarriers_[static_cast<size_t>(thread.mbarrier)];
  return "at " + where(thread.at) + " for parity " + std::to_string(thread.parity) + " of " +
         name(barrier) + "; it is in phase " + std::to_string(barrier.phase) + " (parity " +
         std::to_string(barrier.phase & 1) + "), pending " + std::to_string(barrier.pending) +
         " of " + std::to_string(barrier.arrivals) + " arrivals, expected " +
         std::to_string(barrier.expected_bytes) + " bytes, landed " +
         std::to_string(barrier.expected_bytes - barrier.tx) + " bytes";
}

std::string Block::likely_cause() const {
  for (const Thread& thread : threads_) {
    const Warp& warp = warps_[static_cast<size_t>(thread.index / lanes_per_warp)];
    const bool elsewhere =
        thread.waiting != Waiting::collective && thread.waiting != Waiting::mbarrier;
    if (warp.collective == 0 || !elsewhere) continue;
    return "lanes of one warp wait for each other at different places: a warp instruction inside "
           "a condition (docs/emulator.md#divergence).";
  }
  if (!cta_barrier_.empty()) {
    return "a CTA barrier inside a role: some threads are at __syncthreads(), which the others, "
           "waiting elsewhere, never reach.";
  }
  for (size_t id = 0; id < named_barriers_.size(); id++) {
    const NamedBarrier& barrier = named_barriers_[id];
    if (barrier.arrived.empty()) continue;
    return "named barrier " + std::to_string(id) + " is for " + std::to_string(barrier.threads) +
           " threads, and only " + std::to_string(barrier.arrived.size()) +
           " come: the count must be that of the threads that call it.";
  }
  for (const Thread& thread : threads_) {
    if (thread.waiting != Waiting::mbarrier) continue;
    const Mbarrier& barrier = mbarriers_[static_cast<size_t>(thread.mbarrier)];
    if (barrier.pending == 0 && barrier.tx > 0) {
      return "expect_tx at " + where(barrier.expect_at) + " announced " +
             std::to_string(barrier.expected_bytes) + " bytes, the copies bring " +
             std::to_string(barrier.issued_bytes) + ".";
    }
  }
  for (const Thread& thread : threads_) {
    if (thread.waiting != Waiting::mbarrier) continue;
    const Mbarrier& barrier = mbarriers_[static_cast<size_t>(thread.mbarrier)];
    if (barrier.phase == 0 && thread.parity == 0 && barrier.pending == barrier.arrivals) {
      return "nobody arrives at the barrier of " + who(thread.index) +
             " before this wait returns: a first wait for a buffer that starts out empty needs "
             "parity 1.";
    }
  }
  return "a barrier lacks arrivals, or a wait names the wrong parity.";
}

void Block::report_deadlock() {
  std::string text =
      "Nothing can run, and nothing is in flight, in block " + std::to_string(index_) + ".";
  std::string key = "deadlock";
  for (size_t w = 0; w < warps_.size(); w++) {
    for (int lane = 0; lane < lanes_per_warp;) {
      const Thread& thread = threads_[w * lanes_per_warp + static_cast<size_t>(lane)];
      const std::string waiting = waiting_text(thread);
      int last = lane;
      while (last + 1 < lanes_per_warp &&
             waiting_text(threads_[w * lanes_per_warp + static_cast<size_t>(last) + 1]) ==
                 waiting) {
        last++;
      }
      text += "\n    warp " + std::to_string(w) + ", lanes " + std::to_string(lane) + " to " +
              std::to_string(last) + ": " + waiting;
      if (thread.waiting != Waiting::exited) key += "|" + where(thread.at);
      lane = last + 1;
    }
  }
  text += "\n  Likely cause: " + likely_cause();
  const auto seen = report_of_key_.find(key);
  if (seen == report_of_key_.end()) add_report(key, HazardRule::deadlock, std::move(text));
}

}  // namespace emulator
