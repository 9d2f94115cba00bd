// TMA: a copy is issued, is in flight, and lands row by row; and the rules on who may touch its
// bytes when.
#include <algorithm>
#include <cstring>

#include "../smem_swizzle.h"
#include "block.h"

namespace emulator {
namespace {

const bf16 in_flight_nan = {0x7fff};

uint32_t swizzled(uint32_t addr, int swizzle) {
  switch (swizzle) {
    case 32: return swizzle_offset<32>(addr);
    case 64: return swizzle_offset<64>(addr);
    case 128: return swizzle_offset<128>(addr);
    default: return addr;
  }
}

}  // namespace

// Where TMA puts 16-byte chunk `chunk` of row `row` of the box.
uint32_t Block::chunk_addr(const Transfer& transfer, uint32_t row, uint32_t chunk) const {
  const uint32_t offset = row * transfer.row_bytes() + chunk * chunk_bytes;
  return swizzled(transfer.dst_addr + offset, transfer.map.swizzle);
}

void Block::tma_load(
    uint32_t dst,
    const CUtensorMap& map,
    int x,
    int y,
    uint32_t mbar,
    CallSite at) {
  Mbarrier& barrier = find_mbarrier(mbar, at);
  const int index = static_cast<int>(transfers_.size());
  Transfer transfer = {};
  transfer.map = map;
  transfer.dst_addr = dst;
  transfer.x = x;
  transfer.y = y;
  transfer.mbarrier = static_cast<int>(&barrier - mbarriers_.data());
  transfer.phase = barrier.phase;
  transfer.thread = running_->index;
  transfer.at = at;

  const uint32_t alignment = swizzle_atom_bytes(map.swizzle);
  if (!in_shared(dst, transfer.bytes()) || dst % alignment != 0) {
    report(HazardRule::address, at, {}, [&] {
      return "TMA copy at " + where(at) + " to shared-memory address " + std::to_string(dst) +
             ", " + std::to_string(transfer.bytes()) + " bytes: " +
             (dst % alignment != 0
                  ? "a destination with a swizzle of " + std::to_string(map.swizzle) +
                        " bytes must be " + std::to_string(alignment) + "-byte aligned"
                  : "it ends outside the block's " + std::to_string(smem_bytes_) + " bytes") +
             ".\n  Why: the swizzle permutes address bits, and only an aligned buffer starts the "
             "pattern at its first row.\n"
             "  Mend: lay the buffer out in SharedStorage with alignas(1024).";
    });
    stop_block();
  }

  barrier.issued_bytes += transfer.bytes();
  if (barrier.issued_bytes > barrier.expected_bytes) {
    report(HazardRule::protocol, at, barrier.init_at, [&] {
      const bool fell_behind = barrier.expected_bytes == 0 && barrier.expect_at.file;
      return "TMA copy at " + where(at) + " by " + who(running_->index) + " brings the bytes of " +
             name(barrier) + " to " + std::to_string(barrier.issued_bytes) + ", but " +
             (fell_behind ? "the phase that expect_tx at " + where(barrier.expect_at) +
                                " announced bytes for has completed, and nothing is announced"
              : barrier.expect_at.file ? "expect_tx at " + where(barrier.expect_at) +
                                             " announced " + std::to_string(barrier.expected_bytes)
                                       : std::string("no expect_tx announced any")) +
             " for this phase.\n  Why: the phase completes when the announced bytes have landed, "
             "while others are still on their way.\n"
             "  Mend: expect the bytes of all copies of the phase, before issuing them.";
    });
  } else {
    check_announced(barrier, transfer.bytes(), at);
  }

  std::vector<uint32_t>& buffers = buffers_[map.operand == 'B'];
  const auto buffer = std::find(buffers.begin(), buffers.end(), dst);
  transfer.buffer = static_cast<int>(buffer - buffers.begin());
  if (buffer == buffers.end()) buffers.push_back(dst);
  transfers_.push_back(transfer);
  trace("tma_issue", &transfers_.back(), x);
  transfers_.back().depth = warp_of(*running_).depth;
  check_refill(index);
  begin_flight(index);
  result_.counters.tma_issues++;
  result_.counters.tma_bytes += transfer.bytes();
  if (options_.schedule == LandingSchedule::eager) land_all(index);
  may_switch();
}

// The bytes that this thread copies must be announced by itself, or ordered before the copy: that
// they were announced in this run may be luck.
void Block::check_announced(Mbarrier& barrier, int64_t bytes, CallSite at) {
  int64_t open = bytes;
  for (const auto& [thread, copied] : barrier.copied_by) {
    if (thread == running_->index) open += copied;
  }
  const Announcement* unordered = nullptr;
  for (const Announcement& announced : barrier.announced) {
    if (running_->generic[announced.thread] >= announced.epoch) {
      open -= announced.bytes;
    } else {
      unordered = &announced;
    }
  }
  barrier.copied_by.push_back({running_->index, bytes});
  if (open <= 0 || unordered == nullptr) return;
  report(HazardRule::protocol, at, unordered->at, [&] {
    return "TMA copy at " + where(at) + " by " + who(running_->index) + " counts on bytes of " +
           name(barrier) + " that " + who(unordered->thread) + " announces by expect_tx at " +
           where(unordered->at) +
           ", and nothing orders the announcement before the copy.\n"
           "  Why: the barrier may count bytes that it does not yet expect.\n"
           "  Mend: announce in the thread that copies, or put a barrier or __syncwarp() between.";
  });
}

// Rules 2 and 3: what is in the destination must have landed, been waited for, and been read.
void Block::check_refill(int index) {
  const Transfer& transfer = transfers_[static_cast<size_t>(index)];
  const Thread& issuer = *running_;
  for (uint32_t offset = 0; offset < transfer.bytes(); offset += chunk_bytes) {
    const uint32_t addr = transfer.dst_addr + offset;
    const Chunk& old = chunk(addr);
    if (old.transfer >= 0) {
      const Transfer& before = transfers_[static_cast<size_t>(old.transfer)];
      const bool acquired =
          before.complete && issuer.generic[threads_count_ + before.mbarrier] > before.phase;
      if (!acquired) {
        report(HazardRule::overlap, transfer.at, before.at, [&] {
          return "TMA copy at " + where(transfer.at) + " by " + who(issuer.index) +
                 " overwrites bytes of a copy issued at " + where(before.at) + " that " +
                 (before.complete ? "nobody it is ordered after has waited for"
                                  : "is still in flight") +
                 ": " + bytes_of(addr, &before) +
                 ".\n  Why: copies are not ordered among themselves; the older one may land last.\n"
                 "  Mend: wait until the buffer is empty (its empty barrier, or a CTA barrier "
                 "after "
                 "all threads waited for the old tile) before it is filled again.";
        });
      }
    }
    for (const Read& read : old.reads) {
      if (issuer.async[read.thread] >= read.epoch) continue;
      const bool ordered = issuer.generic[read.thread] >= read.epoch;
      report(HazardRule::refill_too_early, transfer.at, read.at, [&] {
        std::string text = "TMA copy at " + where(transfer.at) + " by " + who(issuer.index) +
                           " refills bytes that " + who(read.thread) + " reads at " +
                           where(read.at) + ": ";
        text += bytes_of(
            addr, old.transfer < 0 ? nullptr : &transfers_[static_cast<size_t>(old.transfer)]);
        text +=
            ordered
                ? ".\n  Why: a barrier or an arrival orders the threads, but TMA writes through "
                  "the "
                  "async proxy, which is not behind it: the read can still be in flight when the "
                  "new bytes land.\n"
                  "  Mend: fence_proxy_async_shared_cta() in every reading thread, after its last "
                  "read and before the barrier or the arrival."
                : ".\n  Why: nothing orders the read before the refill; the reader may still be "
                  "busy with the old tile.\n"
                  "  Mend: let the readers arrive at an empty mbarrier after their last read, "
                  "and wait for it before the refill.";
        return text;
      });
    }
  }
}

// The bytes belong to the copy now: whoever reads them finds NaN until they land.
void Block::begin_flight(int index) {
  const Transfer& transfer = transfers_[static_cast<size_t>(index)];
  for (uint32_t offset = 0; offset < transfer.bytes(); offset += chunk_bytes) {
    Chunk& bytes = chunk(transfer.dst_addr + offset);
    bytes.previous = bytes.transfer;
    bytes.transfer = index;
    bytes.operand = 0;
    bytes.reads.clear();
  }
  uint8_t* to = host(transfer.dst_addr);
  for (uint32_t i = 0; i < transfer.bytes(); i += sizeof in_flight_nan) {
    std::memcpy(to + i, &in_flight_nan, sizeof in_flight_nan);
  }
  in_flight_.push_back(index);
  bytes_in_flight_ += transfer.bytes();
}

void Block::land_all(int index) {
  while (!transfers_[static_cast<size_t>(index)].complete) land_row(index);
}

// One row of the box. What lies outside the tensor is zero, and counts as bytes all the same.
void Block::land_row(int index) {
  Transfer& transfer = transfers_[static_cast<size_t>(index)];
  const CUtensorMap& map = transfer.map;
  const uint32_t row = transfer.next_row++;
  const int64_t y = static_cast<int64_t>(transfer.y) + row;
  const int64_t x = transfer.x;
  const int64_t first = std::max<int64_t>(x, 0);
  const int64_t end = std::min<int64_t>(x + map.box_cols, static_cast<int64_t>(map.cols));

  bf16 line[256] = {};
  if (y >= 0 && y < static_cast<int64_t>(map.rows) && first < end) {
    const auto* source = static_cast<const uint8_t*>(map.base) +
                         static_cast<uint64_t>(y) * map.row_bytes +
                         static_cast<uint64_t>(first) * sizeof(bf16);
    std::memcpy(line + (first - x), source, static_cast<size_t>(end - first) * sizeof(bf16));
  }
  constexpr uint32_t chunk_elems = chunk_bytes / sizeof(bf16);
  for (uint32_t c = 0; c < transfer.row_bytes() / chunk_bytes; c++) {
    const uint32_t addr = chunk_addr(transfer, row, c);
    Chunk& bytes = chunk(addr);
    if (bytes.transfer != index) continue;  // a later copy owns these bytes: reported at its issue
    std::memcpy(host(addr), line + c * chunk_elems, chunk_bytes);
    bytes.operand = map.operand;
    bytes.row = static_cast<int32_t>(y);
    bytes.col = static_cast<int32_t>(x + c * chunk_elems);
  }
  if (transfer.next_row < map.box_rows) return;

  transfer.complete = true;
  in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), index));
  Mbarrier& barrier = mbarriers_[static_cast<size_t>(transfer.mbarrier)];
  transfer.phase = barrier.phase;
  bytes_in_flight_ -= transfer.bytes();
  barrier.depth = std::max(barrier.depth, transfer.depth + 1);
  trace_landing(transfer);
  barrier.tx -= transfer.bytes();
  complete_phase_if_done(transfer.mbarrier);
}

// A read of bytes that a copy has filled, or is filling, in a phase that the reader has not
// acquired. If it did acquire the copy before that one, it holds an old tile whose buffer was
// refilled under it.
void Block::report_unacquired_read(
    uint32_t addr,
    CallSite at,
    const Thread& reader,
    const Transfer& transfer) {
  const int before = chunk(addr).previous;
  if (before >= 0) {
    const Transfer& old = transfers_[static_cast<size_t>(before)];
    if (old.complete && reader.generic[threads_count_ + old.mbarrier] > old.phase) {
      report(HazardRule::refill_too_early, at, transfer.at, [&] {
        return "ldmatrix at " + where(at) + " by " + who(reader.index) +
               " finds its bytes refilled by a TMA copy of " + who(transfer.thread) + " at " +
               where(transfer.at) + ": " + bytes_of(addr, &transfer) +
               ", where it waited for k-tile " + std::to_string(old.k_tile()) +
               ".\n  Why: the buffer was given back before this read; or the reader is a lap "
               "further "
               "and did not wait for the new tile.\n"
               "  Mend: arrive at the empty barrier after the last read of a tile, and wait for "
               "the "
               "full barrier before the first.";
      });
      return;
    }
  }
  report(HazardRule::read_too_early, at, transfer.at, [&] {
    return "ldmatrix at " + where(at) + " by " + who(reader.index) +
           " reads bytes of a TMA copy that it has not waited for, issued by " +
           who(transfer.thread) + " at " + where(transfer.at) + ": " + bytes_of(addr, &transfer) +
           (transfer.complete ? " (they happened to have landed)" : " (still in flight)") +
           ".\n  Why: only a wait for the phase in which the copy completes makes its bytes "
           "visible; time does not.\n"
           "  Mend: mbarrier_wait_parity on the tile's full barrier, with the parity of this "
           "lap, before the first ldmatrix.";
  });
}

// HazardRule 1: the latest copy of these bytes must have completed in a phase that the reader
// acquired.
void Block::check_read(uint32_t addr, CallSite at, Thread& reader) {
  if (!in_shared(addr, chunk_bytes) || addr % chunk_bytes != 0) {
    report(HazardRule::address, at, {}, [&] {
      return "ldmatrix at " + where(at) + ": " + who(reader.index) + " names row address " +
             std::to_string(addr) + ", which is " +
             (addr % chunk_bytes != 0 ? "not 16-byte aligned"
                                      : "outside the block's shared memory") +
             ".";
    });
    stop_block();
  }
  Chunk& bytes = chunk(addr);
  if (bytes.transfer < 0) {
    report(HazardRule::read_too_early, at, {}, [&] {
      return "ldmatrix at " + where(at) + " by " + who(reader.index) +
             " reads bytes that nothing was written to: " + bytes_of(addr, nullptr) +
             ".\n  Why: shared memory starts with whatever was there.\n"
             "  Mend: copy the tile, and wait for its full barrier, before reading it.";
    });
  } else {
    const Transfer& transfer = transfers_[static_cast<size_t>(bytes.transfer)];
    const uint32_t acquired = reader.generic[threads_count_ + transfer.mbarrier];
    if (!transfer.complete || acquired <= transfer.phase) {
      report_unacquired_read(addr, at, reader, transfer);
    }
  }
  for (Read& read : bytes.reads) {
    if (read.thread != reader.index) continue;
    read.epoch = reader.epoch();
    read.at = at;
    return;
  }
  bytes.reads.push_back({reader.index, reader.epoch(), at});
}

}  // namespace emulator
