// TMA: a copy is issued, is in flight, and lands row by row.
#pragma once

#include "core.h"
#include "mbarriers.h"
#include "shared_memory.h"

namespace emulator {

class Tma {
 public:
  Tma(Core& core, SharedMemory& memory, Mbarriers& mbarriers)
      : core_(core), memory_(memory), mbarriers_(mbarriers) {}
  void reset(LandingSchedule schedule);

  // The instruction, for the running thread.
  void load(uint32_t dst, const CUtensorMap& map, int x, int y, uint32_t mbar, CallSite at);

  size_t copies_in_flight() const { return in_flight_.size(); }
  uint64_t bytes_in_flight() const { return bytes_in_flight_; }

  // At most `rows` rows of a copy in flight, which are counted from the oldest.
  void land(size_t copy, uint64_t rows);

 private:
  void check_destination(const Transfer& copy);
  int buffer_of(const Transfer& copy);
  void land_row(int transfer);

  Core& core_;
  SharedMemory& memory_;
  Mbarriers& mbarriers_;
  LandingSchedule schedule_ = LandingSchedule::eager;
  std::vector<int> in_flight_;
  uint64_t bytes_in_flight_ = 0;
  std::vector<uint32_t> buffers_[2];  // addresses of A's and B's, in order of first use
};

}  // namespace emulator
