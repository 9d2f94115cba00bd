#include "trace.h"

namespace emulator {

void Trace::reset(std::vector<TraceEvent>* events) {
  events_ = events;
  k_tile_elems_ = 0;
}

void Trace::note(int thread, const char* kind, const Transfer* copy, int k) {
  const uint32_t depth = ++order_.depth(thread);
  if (!events_) return;
  TraceEvent event = {depth, thread / lanes_per_warp, kind, 0, -1, -1, k};
  if (copy) {
    if (k_tile_elems_ == 0) k_tile_elems_ = static_cast<int>(copy->map.box_cols);
    event.operand = copy->map.operand;
    event.buffer = copy->buffer;
    event.k_tile = copy->k_tile();
  } else if (k >= 0 && k_tile_elems_ > 0) {
    event.k_tile = k / k_tile_elems_;
  }
  events_->push_back(event);
}

void Trace::note_landing(const Transfer& copy) {
  if (!events_) return;
  events_->push_back(
      {copy.depth + 1, copy.thread / lanes_per_warp, "tma_land", copy.map.operand, copy.buffer,
       copy.k_tile(), copy.x});
}

}  // namespace emulator
