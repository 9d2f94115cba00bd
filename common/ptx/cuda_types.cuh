// Types of the cuda backend; the emulator's are in emulated.h.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "bf16.h"

// Two neighbouring bf16 of a fragment in one 32-bit register.
using bf16x2 = uint32_t;

// An mbarrier object. PTX ISA, "Contents of the mbarrier object": opaque, 8 bytes, 8-byte aligned.
using mbarrier = uint64_t;

// The kernel's one shared-memory object, laid out as T. Its size is the launch's dynamic shared
// memory; the base is aligned for the 128-byte swizzle.
template <class T>
__device__ __forceinline__ T& shared_storage() {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  return *reinterpret_cast<T*>(shared_bytes);
}
