// The speed of light for these kernels: mma.sync on registers alone, with no load to wait for.
#pragma once

#include <cstdint>
#include <string>

#include "timing.h"

// One way to keep the tensor cores busy: so many warps on each SM, each with its own accumulators.
struct MmaLoop {
  int warps_per_sm;
  int acc_m, acc_n;  // accumulators of a warp, 16x8 each

  std::string text() const;  // "8 warps per SM, 4x8 accumulators"
};

// Runs loops on one GPU. Operands come from A, so that they switch as many transistors as the
// kernel's: the power limit makes speed depend on data.
class MmaPeak {
 public:
  // The matrices of `product` must outlive this. `sm_count` is the GPU's. A run does the product's
  // operations or a little more, and so many that starting it does not count.
  MmaPeak(const Product& product, int sm_count);

  // Launches the loop; asynchronous. Throws Refusal if it does not start.
  void run(const MmaLoop& loop) const;

  // Floating-point operations of one run.
  double flops(const MmaLoop& loop) const;

 private:
  double flops_of_pass(const MmaLoop& loop) const;
  int64_t passes(const MmaLoop& loop) const;

  const Product product_;
  int sm_count_;
  double least_flops_;
  Buffer<float> results_;  // one number per thread, so that nothing is optimised away
};

// The loop that is the fastest on this GPU, by one round each.
MmaLoop find_fastest_loop(const MmaPeak& peak, const Timer& timer);
