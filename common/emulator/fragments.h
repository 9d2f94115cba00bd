// ldmatrix and mma.sync: what a warp moves from shared memory to its registers, and multiplies. The
// registers carry where their elements come from, which is checked before they are multiplied.
#pragma once

#include <array>
#include <unordered_map>

#include "collectives.h"
#include "tma.h"

namespace emulator {

class Fragments {
 public:
  Fragments(Core& core, SharedMemory& memory, const Tma& tma, Collectives& collectives);
  void reset();

  // The instructions, for the running thread: one lane's part of them.
  void ldmatrix(Op op, std::array<bf16x2*, 4> destinations, uint32_t row_addr, CallSite at);
  void mma(float* acc, const bf16x2* ra, const bf16x2* rb, CallSite at);

 private:
  // A lane's operands.
  struct Load {
    std::array<bf16x2*, 4> destinations;
    uint32_t row_addr;
  };
  struct Product {
    float* acc;
    const bf16x2* ra;
    const bf16x2* rb;
  };

  // What a warp has done along k.
  struct Progress {
    // Last k that each accumulator took, by the address of lane 0's registers.
    std::unordered_map<const float*, int32_t> multiplied;
    int32_t loaded = 0;  // the furthest k that ldmatrix fetched
  };

  void load_matrices(int matrices, CallSite at);
  void count_wavefronts(const uint32_t* row_addrs, int matrices);
  static void multiply(const Product* lanes);
  void check_operands(const Product* lanes, CallSite at);
  void report_operand(int lane, int index, bf16x2 got, bf16x2 due, CallSite at);
  void check_k_step(const Product& first, CallSite at);
  void count_mma(int32_t k);

  int first_lane() const { return core_.warp() * lanes_per_warp; }

  Core& core_;
  SharedMemory& memory_;
  const Tma& tma_;
  Collectives& collectives_;
  std::vector<Load> loads_;         // per thread
  std::vector<Product> products_;   // per thread
  std::vector<Progress> progress_;  // per warp
};

}  // namespace emulator
