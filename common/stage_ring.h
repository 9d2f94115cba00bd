// Position in a ring of `stages` buffers, each guarded by an mbarrier. The stage says which buffer,
// the parity which lap: an mbarrier's phases alternate between 0 and 1, and a wait names the parity
// of the phase that must have completed. The two always travel together, hence one type.
#pragma once

#include <cstdint>

#include "ptx/ptx.cuh"

template <int stages>
struct StageRing {
  int stage = 0;
  uint32_t parity = 0;

  __host__ __device__ constexpr void advance() {
    stage++;
    if (stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};
