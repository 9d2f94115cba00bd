// The instructions as inline PTX. All are volatile and clobber "memory" where they read, write or
// order memory: without it the compiler may move a shared-memory access across them.
#pragma once

#include "instructions.h"

__device__ __forceinline__ uint32_t shared_addr(const void* object) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(object));
}

__device__ __forceinline__ void mbarrier_init(uint32_t mbar_addr, uint32_t arrivals, CallSite) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(mbar_addr), "r"(arrivals)
               : "memory");
}

__device__ __forceinline__ void fence_mbarrier_init(CallSite) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(uint32_t mbar_addr, CallSite) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(mbar_addr) : "memory");
}

__device__ __forceinline__ void mbarrier_arrive_expect_tx(
    uint32_t mbar_addr,
    uint32_t bytes,
    CallSite) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(mbar_addr),
      "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void mbarrier_wait_parity(
    uint32_t mbar_addr,
    uint32_t parity,
    CallSite) {
  // try_wait sleeps for a hardware-chosen time and may return early, hence the loop.
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "wait:\n"
      "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra wait;\n"
      "}\n" ::"r"(mbar_addr),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void cp_async_bulk_tensor_2d(
    uint32_t dst_addr,
    const CUtensorMap* map,
    int x,
    int y,
    uint32_t mbar_addr,
    CallSite) {
  // .shared::cta and not .shared::cluster: the latter costs registers and a stack frame on sm_120.
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(dst_addr),
      "l"(map), "r"(x), "r"(y), "r"(mbar_addr)
      : "memory");
}

__device__ __forceinline__ void fence_proxy_async_shared_cta(CallSite) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Plain C++: the compiler folds their addresses into one register and immediates. Inline PTX would
// hide them, and spill where accumulators fill the registers.
__device__ __forceinline__ void store_f32(float* element, float value) { *element = value; }

__device__ __forceinline__ void store_f32x2(float* element, float first, float second) {
  *reinterpret_cast<float2*>(element) = float2{first, second};
}

__device__ __forceinline__ bool elect_sync(CallSite) {
  uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

__device__ __forceinline__ int shfl_sync_idx(int value, int lane, CallSite) {
  int result;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(result)
               : "r"(value), "r"(lane));
  return result;
}

__device__ __forceinline__ void named_barrier_sync(uint32_t id, uint32_t threads, CallSite) {
  asm volatile("barrier.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ __forceinline__ void ldmatrix_m8n8_x1_b16(bf16x2& r0, uint32_t row_addr, CallSite) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r0)
               : "r"(row_addr)
               : "memory");
}

__device__ __forceinline__ void ldmatrix_m8n8_x2_b16(
    bf16x2& r0,
    bf16x2& r1,
    uint32_t row_addr,
    CallSite) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"(row_addr)
               : "memory");
}

__device__ __forceinline__ void ldmatrix_m8n8_x4_b16(
    bf16x2& r0,
    bf16x2& r1,
    bf16x2& r2,
    bf16x2& r3,
    uint32_t row_addr,
    CallSite) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(row_addr)
               : "memory");
}

__device__ __forceinline__ void mma_m16n8k16_row_col_f32_bf16(
    float (&acc)[4],
    const bf16x2 (&ra)[4],
    const bf16x2 (&rb)[2],
    CallSite) {
  // Registers in, registers out: nothing to order, so no clobber and the scheduler may move it.
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
}
