// What the 32 lanes of a warp do together: __syncwarp(), elect.sync, shfl.sync, and where they meet
// for ldmatrix and mma.sync.
//
// Each lane comes with its operands and waits; the last one does the work for all. Anything but the
// same instruction from the same line is a divergence. Coming together is not memory order: only
// __syncwarp() joins the lanes' clocks (PTX ISA, bar.warp.sync), the others do not.
#pragma once

#include "core.h"

namespace emulator {

enum class Op { ldmatrix_x1, ldmatrix_x2, ldmatrix_x4, mma, syncwarp, elect, shuffle };

const char* name_of(Op op);  // "ldmatrix.x4"

class Collectives {
 public:
  explicit Collectives(Core& core);
  void reset(const LaunchOptions& options);

  // The instructions, for the running thread.
  void syncwarp(uint32_t mask, CallSite at);
  bool elect(CallSite at);
  int shuffle(int value, int lane, CallSite at);

  // The running lane comes to an instruction of its warp. True for the last lane to come, which
  // does the work and calls complete(); the others return when that is done.
  bool arrive(Op op, CallSite at);
  void complete();

  // The running thread has returned from the kernel: its warp may not wait for it.
  void check_exit();

  bool is_meeting(int warp) const { return arrived_[warp] != 0; }
  Op op_of(int thread) const { return lanes_[thread].op; }

 private:
  struct Lane {
    Op op;  // that it waits in
    int shuffled, from_lane;
  };
  int first_to_come(int warp) const;

  Core& core_;
  std::vector<uint32_t> arrived_;  // per warp: a bit per lane that came to the current instruction
  std::vector<Lane> lanes_;        // per thread
  int elected_lane_ = 0;           // of every warp
};

}  // namespace emulator
