#include "shared_memory.h"

#include <cstring>

namespace emulator {
namespace {

void fill_with_nan(uint8_t* bytes, size_t count) {
  const bf16 nan = {0x7fff};
  for (size_t i = 0; i + sizeof nan <= count; i += sizeof nan) {
    std::memcpy(bytes + i, &nan, sizeof nan);
  }
}

}  // namespace

uint32_t Transfer::chunk_addr(uint32_t row, uint32_t chunk) const {
  const uint32_t addr = dst_addr + row * row_bytes() + chunk * chunk_bytes;
  switch (map.swizzle) {
    case 32: return swizzle_offset<32>(addr);
    case 64: return swizzle_offset<64>(addr);
    case 128: return swizzle_offset<128>(addr);
    default: return addr;
  }
}

void Chunk::note(const Read& read) {
  for (Read& before : reads) {
    if (before.thread != read.thread) continue;
    before = read;
    return;
  }
  reads.push_back(read);
}

SharedMemory::SharedMemory(size_t bytes)
    : bytes_(bytes),
      memory_(bytes + 2 * shared_window),
      chunks_((bytes + chunk_bytes - 1) / chunk_bytes) {
  const auto base = reinterpret_cast<uintptr_t>(memory_.data());
  begin_ = memory_.data() + (shared_window - base % shared_window) % shared_window;
}

void SharedMemory::reset() {
  transfers.clear();
  fill_with_nan(begin_, bytes_);
  for (Chunk& chunk : chunks_) {
    chunk.transfer = chunk.previous = -1;
    chunk.operand = 0;
    chunk.row = chunk.col = 0;
    chunk.reads.clear();  // not a new chunk: that would give the memory back
  }
}

void SharedMemory::give_to(int transfer) {
  const Transfer& copy = transfers[transfer];
  for (uint32_t offset = 0; offset < copy.bytes(); offset += chunk_bytes) {
    Chunk& bytes = chunk(copy.dst_addr + offset);
    bytes.previous = bytes.transfer;
    bytes.transfer = transfer;
    bytes.operand = 0;
    bytes.reads.clear();
  }
  fill_with_nan(at(copy.dst_addr), copy.bytes());
}

}  // namespace emulator
