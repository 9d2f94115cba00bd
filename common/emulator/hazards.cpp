#include "hazards.h"

namespace emulator {
namespace {

bool is_visible(const Core& core, const Transfer& copy, int thread) {
  return copy.complete && core.order.has_acquired(thread, copy.mbarrier, copy.phase);
}

// A reader that did wait for the copy before this one holds an old tile whose buffer was refilled
// under it.
void report_read(Core& core, SharedMemory& memory, Bytes bytes, int reader, CallSite at) {
  const Transfer& copy = *bytes.copy;
  const int before = memory.chunk(bytes.addr).previous;
  if (before >= 0 && is_visible(core, memory.transfers[before], reader)) {
    core.reports.add(
        messages::read_after_refill, at, copy.at, at, core.who(reader), core.who(copy.thread),
        copy.at, bytes, memory.transfers[before].k_tile());
  } else {
    core.reports.add(
        messages::read_without_wait, at, copy.at, at, core.who(reader), core.who(copy.thread),
        copy.at, bytes, copy.complete ? "they happened to have landed" : "still in flight");
  }
}

}  // namespace

void check_read(Core& core, SharedMemory& memory, uint32_t addr, int reader, CallSite at) {
  const bool aligned = addr % chunk_bytes == 0;
  if (!aligned || !memory.contains(addr, chunk_bytes)) {
    core.fail(
        messages::bad_row_address, at, {}, at, core.who(reader), addr,
        aligned ? "outside the block's shared memory" : "not 16-byte aligned");
  }
  const Bytes bytes = {addr, memory.writer(addr)};
  if (!bytes.copy) {
    core.reports.add(messages::read_of_nothing, at, {}, at, core.who(reader), bytes);
  } else if (!is_visible(core, *bytes.copy, reader)) {
    report_read(core, memory, bytes, reader, at);
  }
  memory.chunk(addr).note({reader, core.order.epoch(reader), at});
}

void check_refill(Core& core, SharedMemory& memory, const Transfer& copy) {
  const int self = core.self();
  for (uint32_t offset = 0; offset < copy.bytes(); offset += chunk_bytes) {
    const uint32_t addr = copy.dst_addr + offset;
    const Bytes old = {addr, memory.writer(addr)};
    if (old.copy && !is_visible(core, *old.copy, self)) {
      core.reports.add(
          messages::overlap, copy.at, old.copy->at, copy.at, core.who(), old.copy->at,
          old.copy->complete ? "nobody it is ordered after has waited for" : "is still in flight",
          old);
    }
    for (const Read& read : memory.chunk(addr).reads) {
      if (core.order.is_before_copies(read.thread, read.epoch, self)) continue;
      const bool ordered = core.order.is_before(read.thread, read.epoch, self);
      core.reports.add(
          ordered ? messages::refill_without_fence : messages::refill_without_order, copy.at,
          read.at, copy.at, core.who(), core.who(read.thread), read.at, old);
    }
  }
}

void check_all_awaited(Core& core, const SharedMemory& memory) {
  for (const Transfer& copy : memory.transfers) {
    bool awaited = false;
    for (int t = 0; t < core.scheduler.threads(); t++) awaited |= is_visible(core, copy, t);
    if (awaited) continue;
    core.reports.add(
        messages::copy_never_awaited, copy.at, {}, core.who(copy.thread), copy.at,
        Bytes{copy.dst_addr, &copy}, copy.complete ? " (it happened to have landed)" : "");
  }
}

}  // namespace emulator
