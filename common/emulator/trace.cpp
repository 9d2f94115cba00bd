// The timeline: what the warps of block 0 did, in which order. Each event stands one step behind
// the latest event that it had to wait for, so things that could happen together stand side by
// side.
#include <algorithm>

#include "block.h"

namespace emulator {

// An event of the running thread's warp. A copy names operand, buffer and k-tile; -1 is unknown.
void Block::trace(const char* kind, const Transfer* transfer, int k) {
  const uint32_t depth = ++warp_of(*running_).depth;
  if (!options_.trace || index_ != 0) return;
  TraceEvent event = {depth, running_->index / lanes_per_warp, kind, 0, -1, -1, k};
  if (transfer) {
    event.operand = transfer->map.operand;
    event.buffer = transfer->buffer;
    event.k_tile = transfer->k_tile();
  } else if (k >= 0 && !transfers_.empty()) {
    event.k_tile = k / static_cast<int>(transfers_[0].map.box_cols);
  }
  options_.trace->push_back(event);
}

void Block::trace_landing(const Transfer& transfer) {
  if (!options_.trace || index_ != 0) return;
  options_.trace->push_back(
      {transfer.depth + 1, transfer.thread / lanes_per_warp, "tma_land", transfer.map.operand,
       transfer.buffer, transfer.k_tile(), transfer.x});
}

void Block::trace_ldmatrix(const Chunk& from) {
  trace(
      "ldmatrix", from.transfer < 0 ? nullptr : &transfers_[static_cast<size_t>(from.transfer)],
      from.col);
}

// What each lane does for itself: the first lane's event stands for the warp's.
void Block::trace_once(const char* kind) {
  if (running_->index % lanes_per_warp == 0) trace(kind, nullptr, -1);
}

void Block::store() { trace_once("store"); }

}  // namespace emulator
