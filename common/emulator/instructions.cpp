// The instructions of ptx/instructions.h, handed to the parts of the running block.
#include "block.h"

using emulator::Op;

static emulator::Block& block() { return emulator::Block::current(); }

uint32_t shared_addr(const void* object) { return block().memory.addr_of(object); }

void mbarrier_init(uint32_t mbar_addr, uint32_t arrivals, CallSite at) {
  block().mbarriers.init(mbar_addr, arrivals, at);
}

void fence_mbarrier_init(CallSite) { block().mbarriers.fence_init(); }

void mbarrier_arrive(uint32_t mbar_addr, CallSite at) {
  block().mbarriers.arrive(mbar_addr, 0, at);
}

void mbarrier_arrive_expect_tx(uint32_t mbar_addr, uint32_t bytes, CallSite at) {
  block().mbarriers.arrive(mbar_addr, bytes, at);
}

void mbarrier_wait_parity(uint32_t mbar_addr, uint32_t parity, CallSite at) {
  block().mbarriers.wait(mbar_addr, parity, at);
}

void cp_async_bulk_tensor_2d(
    uint32_t dst_addr,
    const CUtensorMap* map,
    int x,
    int y,
    uint32_t mbar_addr,
    CallSite at) {
  block().tma.load(dst_addr, *map, x, y, mbar_addr, at);
}

// It publishes initialised mbarriers, too.
void fence_proxy_async_shared_cta(CallSite) {
  block().core.order.fence_proxy(block().core.self());
  block().mbarriers.fence_init();
}

bool elect_sync(CallSite at) { return block().collectives.elect(at); }

int shfl_sync_idx(int value, int lane, CallSite at) {
  return block().collectives.shuffle(value, lane, at);
}

void named_barrier_sync(uint32_t id, uint32_t threads, CallSite at) {
  block().barriers.sync_named(id, threads, at);
}

void ldmatrix_m8n8_x1_b16(bf16x2& r0, uint32_t row_addr, CallSite at) {
  block().fragments.ldmatrix(Op::ldmatrix_x1, {&r0}, row_addr, at);
}

void ldmatrix_m8n8_x2_b16(bf16x2& r0, bf16x2& r1, uint32_t row_addr, CallSite at) {
  block().fragments.ldmatrix(Op::ldmatrix_x2, {&r0, &r1}, row_addr, at);
}

void ldmatrix_m8n8_x4_b16(
    bf16x2& r0,
    bf16x2& r1,
    bf16x2& r2,
    bf16x2& r3,
    uint32_t row_addr,
    CallSite at) {
  block().fragments.ldmatrix(Op::ldmatrix_x4, {&r0, &r1, &r2, &r3}, row_addr, at);
}

void mma_m16n8k16_row_col_f32_bf16(
    float (&acc)[4],
    const bf16x2 (&ra)[4],
    const bf16x2 (&rb)[2],
    CallSite at) {
  block().fragments.mma(acc, ra, rb, at);
}

void store_f32(float* element, float value) {
  block().note_store();
  element[0] = value;
}

void store_f32x2(float* element, float first, float second) {
  block().note_store();
  element[0] = first;
  element[1] = second;
}

namespace emulator {

void* shared_storage_bytes(size_t size) { return block().storage(size); }
void syncthreads(const char* file, int line) { block().barriers.sync_threads({file, line}); }
void syncwarp(unsigned mask, const char* file, int line) {
  block().collectives.syncwarp(mask, {file, line});
}

}  // namespace emulator
