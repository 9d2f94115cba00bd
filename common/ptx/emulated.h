// What a kernel sees when g++ compiles it: CUDA's keywords, built-in variables and built-in
// functions, and the types that ptx/cuda_types.cuh defines for nvcc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bf16.h"
#include "emulated_tensor_map.h"

static_assert(
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "the emulator takes two bf16 out of a word as a GPU does, on a little-endian processor");

#define __global__
#define __host__
#define __device__
#define __forceinline__
#define __grid_constant__
#define __launch_bounds__(...)

// The running thread's coordinates; the scheduler sets them when it switches threads.
struct Dim3 {
  unsigned x, y, z;
};
inline thread_local Dim3 threadIdx = {0, 0, 0};
inline thread_local Dim3 blockIdx = {0, 0, 0};
inline thread_local Dim3 blockDim = {1, 1, 1};
inline thread_local Dim3 gridDim = {1, 1, 1};

// A fragment register. Beside the bits it carries where they come from: mma.sync checks that the
// rows and columns it multiplies belong together. A fresh one holds NaN, from nowhere.
struct bf16x2 {
  uint32_t bits = 0xffffffffu;
  char operand = 0;  // 'A' or 'B'; 0: no ldmatrix wrote this register
  int32_t row = 0;   // row of A or B, elements
  int32_t col = 0;   // k of the first of the two elements
};

using mbarrier = uint64_t;

namespace emulator {
// Bytes of the running block's shared memory. Fails the block if `size` is not the launch's.
void* shared_storage_bytes(size_t size);
void syncthreads(const char* file, int line);
void syncwarp(unsigned mask, const char* file, int line);
}  // namespace emulator

template <class T>
T& shared_storage() {
  return *static_cast<T*>(emulator::shared_storage_bytes(sizeof(T)));
}

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  emulator::syncthreads(file, line);
}
inline void __syncwarp(
    unsigned mask = 0xffffffffu,
    const char* file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  emulator::syncwarp(mask, file, line);
}
// Orders the caller's accesses for other threads, in the generic proxy: nothing that the emulator
// tracks depends on it, and TMA is not behind it.
inline void __threadfence_block() {}
