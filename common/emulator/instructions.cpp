// The instructions of ptx/instructions.h, handed to the parts of the running block.
#include "block.h"

using emulator::Block;
using emulator::Op;

// The running block, or nullptr while it ends: then only destructors of what a kernel owns run, and
// what they ask for is not done.
static Block* block() {
  Block& current = Block::current();
  return current.core.scheduler.stopping() ? nullptr : &current;
}

uint32_t shared_addr(const void* object) { return Block::current().memory.addr_of(object); }

void mbarrier_init(uint32_t mbar_addr, uint32_t arrivals, CallSite at) {
  if (auto* b = block()) b->mbarriers.init(mbar_addr, arrivals, at);
}

void fence_mbarrier_init(CallSite) {
  if (auto* b = block()) b->mbarriers.fence_init();
}

void mbarrier_arrive(uint32_t mbar_addr, CallSite at) {
  if (auto* b = block()) b->mbarriers.arrive(mbar_addr, 0, at);
}

void mbarrier_arrive_expect_tx(uint32_t mbar_addr, uint32_t bytes, CallSite at) {
  if (auto* b = block()) b->mbarriers.arrive(mbar_addr, bytes, at);
}

void mbarrier_wait_parity(uint32_t mbar_addr, uint32_t parity, CallSite at) {
  if (auto* b = block()) b->mbarriers.wait(mbar_addr, parity, at);
}

void cp_async_bulk_tensor_2d(
    uint32_t dst_addr,
    const CUtensorMap* map,
    int x,
    int y,
    uint32_t mbar_addr,
    CallSite at) {
  if (auto* b = block()) b->tma.load(dst_addr, *map, x, y, mbar_addr, at);
}

// It publishes initialised mbarriers, too.
void fence_proxy_async_shared_cta(CallSite) {
  if (auto* b = block()) b->core.order.fence_proxy(b->core.self());
  if (auto* b = block()) b->mbarriers.fence_init();
}

bool elect_sync(CallSite at) {
  Block* const b = block();
  return b && b->collectives.elect(at);
}

int shfl_sync_idx(int value, int lane, CallSite at) {
  Block* const b = block();
  return b ? b->collectives.shuffle(value, lane, at) : value;
}

void named_barrier_sync(uint32_t id, uint32_t threads, CallSite at) {
  if (auto* b = block()) b->barriers.sync_named(id, threads, at);
}

void ldmatrix_m8n8_x1_b16(bf16x2& r0, uint32_t row_addr, CallSite at) {
  if (auto* b = block()) b->fragments.ldmatrix(Op::ldmatrix_x1, {&r0}, row_addr, at);
}

void ldmatrix_m8n8_x2_b16(bf16x2& r0, bf16x2& r1, uint32_t row_addr, CallSite at) {
  if (auto* b = block()) b->fragments.ldmatrix(Op::ldmatrix_x2, {&r0, &r1}, row_addr, at);
}

void ldmatrix_m8n8_x4_b16(
    bf16x2& r0,
    bf16x2& r1,
    bf16x2& r2,
    bf16x2& r3,
    uint32_t row_addr,
    CallSite at) {
  if (auto* b = block()) b->fragments.ldmatrix(Op::ldmatrix_x4, {&r0, &r1, &r2, &r3}, row_addr, at);
}

void mma_m16n8k16_row_col_f32_bf16(
    float (&acc)[4],
    const bf16x2 (&ra)[4],
    const bf16x2 (&rb)[2],
    CallSite at) {
  if (auto* b = block()) b->fragments.mma(acc, ra, rb, at);
}

void store_f32(float* element, float value) {
  if (auto* b = block()) b->note_store();
  element[0] = value;
}

void store_f32x2(float* element, float first, float second) {
  if (auto* b = block()) b->note_store();
  element[0] = first;
  element[1] = second;
}

namespace emulator {

void* shared_storage_bytes(size_t size) { return Block::current().storage(size); }
void syncthreads(const char* file, int line) {
  if (auto* b = block()) b->barriers.sync_threads({file, line});
}
void syncwarp(unsigned mask, const char* file, int line) {
  if (auto* b = block()) b->collectives.syncwarp(mask, {file, line});
}

}  // namespace emulator
