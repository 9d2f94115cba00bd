#include "tma.h"

#include <algorithm>
#include <cstring>

#include "hazards.h"

namespace emulator {

void Tma::reset(LandingSchedule schedule) {
  schedule_ = schedule;
  in_flight_.clear();
  bytes_in_flight_ = 0;
  for (auto& buffers : buffers_) buffers.clear();
}

void Tma::load(uint32_t dst, const CUtensorMap& map, int x, int y, uint32_t mbar, CallSite at) {
  Transfer copy = {};
  copy.map = map;
  copy.dst_addr = dst;
  copy.x = x;
  copy.y = y;
  copy.mbarrier = mbarriers_.find(mbar, at);
  copy.phase = mbarriers_[copy.mbarrier].phase;
  copy.thread = core_.self();
  copy.at = at;
  check_destination(copy);
  mbarriers_.count_issue(copy.mbarrier, copy.bytes(), at);
  copy.buffer = buffer_of(copy);
  core_.trace.note(copy.thread, "tma_issue", &copy, x);
  copy.depth = core_.order.depth(copy.thread);
  check_refill(core_, memory_, copy);

  const int index = static_cast<int>(memory_.transfers.size());
  memory_.transfers.push_back(copy);
  memory_.give_to(index);
  in_flight_.push_back(index);
  bytes_in_flight_ += copy.bytes();
  core_.counters.tma_issues++;
  core_.counters.tma_bytes += copy.bytes();
  if (schedule_ == LandingSchedule::eager) land(in_flight_.size() - 1, copy.map.box_rows);
  core_.scheduler.may_switch();
}

void Tma::check_destination(const Transfer& copy) {
  const uint32_t alignment = swizzle_atom_bytes(copy.map.swizzle);
  const bool aligned = copy.dst_addr % alignment == 0;
  if (aligned && memory_.contains(copy.dst_addr, copy.bytes())) return;
  const std::string fault = aligned ? say(messages::ends_outside, memory_.bytes())
                                    : say(messages::not_aligned, copy.map.swizzle, alignment);
  core_.fail(messages::bad_destination, copy.at, {}, copy.at, copy.dst_addr, copy.bytes(), fault);
}

int Tma::buffer_of(const Transfer& copy) {
  std::vector<uint32_t>& buffers = buffers_[copy.map.operand == 'B'];
  const auto known = std::find(buffers.begin(), buffers.end(), copy.dst_addr);
  const int buffer = static_cast<int>(known - buffers.begin());
  if (known == buffers.end()) buffers.push_back(copy.dst_addr);
  return buffer;
}

void Tma::land(size_t copy, uint64_t rows) {
  const int transfer = in_flight_[copy];
  for (; rows > 0 && !memory_.transfers[transfer].complete; rows--) land_row(transfer);
}

// One row of the box. What lies outside the tensor is zero, and counts as bytes all the same.
void Tma::land_row(int index) {
  Transfer& copy = memory_.transfers[index];
  const CUtensorMap& map = copy.map;
  const uint32_t row = copy.next_row++;
  const int64_t y = static_cast<int64_t>(copy.y) + row;
  const int64_t x = copy.x;
  const int64_t first = std::max<int64_t>(x, 0);
  const int64_t end = std::min<int64_t>(x + map.box_cols, static_cast<int64_t>(map.cols));

  bf16 line[256] = {};
  if (y >= 0 && y < static_cast<int64_t>(map.rows) && first < end) {
    const auto* source = static_cast<const uint8_t*>(map.base) +
                         static_cast<uint64_t>(y) * map.row_bytes +
                         static_cast<uint64_t>(first) * sizeof(bf16);
    std::memcpy(line + (first - x), source, static_cast<size_t>(end - first) * sizeof(bf16));
  }
  constexpr uint32_t chunk_elems = chunk_bytes / sizeof(bf16);
  for (uint32_t c = 0; c < copy.row_bytes() / chunk_bytes; c++) {
    const uint32_t addr = copy.chunk_addr(row, c);
    Chunk& bytes = memory_.chunk(addr);
    if (bytes.transfer != index) continue;  // a later copy owns these bytes: reported at its issue
    std::memcpy(memory_.at(addr), line + c * chunk_elems, chunk_bytes);
    bytes.operand = map.operand;
    bytes.row = static_cast<int32_t>(y);
    bytes.col = static_cast<int32_t>(x + c * chunk_elems);
  }
  if (copy.next_row < map.box_rows) return;

  copy.complete = true;
  in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), index));
  bytes_in_flight_ -= copy.bytes();
  core_.trace.note_landing(copy);
  mbarriers_.count_landing(copy);
}

}  // namespace emulator
