// One declaration per instruction, for both backends: cuda_instructions.cuh defines them with
// inline PTX, the emulator with its model.
//
// Each says the exact PTX, the first PTX ISA version and architecture, and who calls it. On the GPU
// a broken precondition is undefined behaviour; the emulator reports it. `_addr` is a 32-bit
// address in the shared window, `at` the caller's line: free on the GPU, and what reports point to.
//
// A test reads this file: "MNEMONIC operands;  PTX VERSION, ARCH" must be what the PTX has, with a
// "memory" clobber unless it says "Registers only", or no inline PTX where it says "Plain C++".
#pragma once

#include <cstdint>

#include "types.h"

struct CallSite {
  const char* file;
  int line;
};

// Address of an object in shared memory, as the instructions below take it. Any thread. Plain C++.
// cvta.to.shared.u64 addr, object;                                             PTX 2.0, sm_20
__device__ __forceinline__ uint32_t shared_addr(const void* object);

// --- mbarrier: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier" ------

// Phase 0 begins, with `arrivals` pending. One thread, once per barrier, before any other use.
// mbarrier.init.shared::cta.b64 [addr], arrivals;                              PTX 7.0, sm_80
__device__ __forceinline__ void mbarrier_init(
    uint32_t mbar_addr,
    uint32_t arrivals,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// Makes the caller's mbarrier_init visible before TMA counts bytes on the barrier. By convention
// (CUTLASS); PTX names it for barriers of a cluster.
// The thread that initialised, before the CTA barrier that publishes the barriers.
// fence.mbarrier_init.release.cluster;                                         PTX 8.0, sm_90
__device__ __forceinline__ void fence_mbarrier_init(
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// One arrival on the current phase; releases what the caller did before.
// mbarrier.arrive.release.cta.shared::cta.b64 _, [addr];                       PTX 8.0, sm_90
__device__ __forceinline__ void mbarrier_arrive(
    uint32_t mbar_addr,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// Announces `bytes` that TMA will deliver in this phase, then arrives once. Before the copies.
// mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [addr], bytes;      PTX 8.0, sm_90
__device__ __forceinline__ void mbarrier_arrive_expect_tx(
    uint32_t mbar_addr,
    uint32_t bytes,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// Returns when the phase of this parity has completed: all arrivals made and all bytes landed. What
// the arriving threads and the copies wrote is then visible to the caller. A barrier in its phase 0
// counts as having completed a phase of parity 1. Any thread; blocks it.
// mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [addr], parity;      PTX 8.0, sm_90
__device__ __forceinline__ void mbarrier_wait_parity(
    uint32_t mbar_addr,
    uint32_t parity,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// --- TMA and the async proxy ---------------------------------------------------------------------

// Starts the copy of one box of a 2-D tensor to shared memory and returns at once. `x` is the
// column, `y` the row of the box's first element, in elements; what lies outside the tensor arrives
// as zeros. The box's full byte count completes on the mbarrier. One thread.
// cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes
//     [dst], [map, {x, y}], [mbar];                                            PTX 8.6, sm_90
__device__ __forceinline__ void cp_async_bulk_tensor_2d(
    uint32_t dst_addr,
    const CUtensorMap* map,
    int x,
    int y,
    uint32_t mbar_addr,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// Orders the caller's ordinary (generic proxy) accesses to shared memory before async-proxy
// accesses that follow the next barrier, or the wait for its next arrival at an mbarrier; neither
// does so by itself. Every thread that read, after its last read.
// fence.proxy.async.shared::cta;                                               PTX 8.0, sm_90
__device__ __forceinline__ void fence_proxy_async_shared_cta(
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// --- Global memory -------------------------------------------------------------------------------

// Stores one float. Plain C++.
// st.global.f32 [element], value;                                              PTX 1.0, all
__device__ __forceinline__ void store_f32(float* element, float value);

// Stores two neighbours at once; `element` is 8-byte aligned. Plain C++.
// st.global.v2.f32 [element], {first, second};                                 PTX 1.0, all
__device__ __forceinline__ void store_f32x2(float* element, float first, float second);

// --- Lanes of a warp: all 32 together ------------------------------------------------------------

// True in one lane, the same one whenever it is called. That one thread goes on alone is then plain
// to the compiler, which cannot see it in a test of threadIdx: TMA takes its operands from
// registers that a warp shares, and where several lanes may come, nvcc writes a loop over them.
// Registers only.
// elect.sync _|p, 0xffffffff;                                                  PTX 8.0, sm_90
__device__ __forceinline__ bool elect_sync(CallSite at = {__builtin_FILE(), __builtin_LINE()});

// The `value` of lane `lane`, 0 to 31. Of a number that all lanes have, it is the same number, and
// known to be one for the warp, so that a branch on it is one of the whole warp. Registers only.
// shfl.sync.idx.b32 d, value, lane, 0x1f, 0xffffffff;                          PTX 6.0, sm_30
__device__ __forceinline__ int shfl_sync_idx(
    int value,
    int lane,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// --- Named barriers ------------------------------------------------------------------------------

// Waits until `threads` threads (a multiple of 32) have come to barrier `id` (1 to 15; 0 is
// __syncthreads). Whole warps.
// barrier.sync.aligned id, threads;                                            PTX 6.0, sm_30
__device__ __forceinline__ void named_barrier_sync(
    uint32_t id,
    uint32_t threads,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// --- Warp-level matrix instructions: all 32 lanes of a warp together -----------------------------

// Each row address is 16-byte aligned and names eight bf16. Lane i gets elements 2 * (i % 4) and
// + 1 of row i / 4, for each 8x8 matrix. PTX ISA, "ldmatrix".
//
// ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [addr];                       PTX 6.5, sm_75
// Lanes 0-7 give the rows.
__device__ __forceinline__ void ldmatrix_m8n8_x1_b16(
    bf16x2& r0,
    uint32_t row_addr,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// ldmatrix.sync.aligned.m8n8.x2.shared.b16 {r0, r1}, [addr];                   PTX 6.5, sm_75
// Lanes 0-7 give the rows of r0, lanes 8-15 those of r1.
__device__ __forceinline__ void ldmatrix_m8n8_x2_b16(
    bf16x2& r0,
    bf16x2& r1,
    uint32_t row_addr,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [addr];           PTX 6.5, sm_75
// Lanes 8i to 8i + 7 give the rows of ri.
__device__ __forceinline__ void ldmatrix_m8n8_x4_b16(
    bf16x2& r0,
    bf16x2& r1,
    bf16x2& r2,
    bf16x2& r3,
    uint32_t row_addr,
    CallSite at = {__builtin_FILE(), __builtin_LINE()});

// acc += A B in fp32: A is 16x16 (ra), B 16x8 (rb), acc 16x8; layouts in docs/fragments.md.
// Registers only.
// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 acc, ra, rb, acc;        PTX 7.0, sm_80
__device__ __forceinline__ void mma_m16n8k16_row_col_f32_bf16(
    float (&acc)[4],
    const bf16x2 (&ra)[4],
    const bf16x2 (&rb)[2],
    CallSite at = {__builtin_FILE(), __builtin_LINE()});
