// The block's shared memory and its shadow: for each 16 bytes which copy wrote them, what it
// brought, and who has read them since.
#pragma once

#include <cstdint>
#include <vector>

#include "../ptx/ptx.cuh"
#include "../smem_swizzle.h"

namespace emulator {

constexpr int chunk_bytes = 16;           // TMA and ldmatrix both move whole, aligned 16 bytes
constexpr uint32_t shared_window = 1024;  // address of the first byte, as on the GPU: 1 KB is taken

// One cp.async.bulk.tensor.
struct Transfer {
  CUtensorMap map;
  uint32_t dst_addr;
  int32_t x, y;
  int mbarrier;    // index
  uint32_t phase;  // of the barrier, in which the bytes complete
  int thread;      // issuer
  CallSite at;
  int buffer;         // which one of its operand, in the order in which they were first filled
  uint32_t depth;     // of its issue
  uint32_t next_row;  // rows below have landed
  bool complete;      // all bytes counted on the barrier

  uint32_t row_bytes() const { return map.box_cols * static_cast<uint32_t>(sizeof(bf16)); }
  uint32_t bytes() const { return row_bytes() * map.box_rows; }
  int k_tile() const { return x / static_cast<int>(map.box_cols); }

  // Where TMA puts 16-byte chunk `chunk` of row `row` of the box.
  uint32_t chunk_addr(uint32_t row, uint32_t chunk) const;
};

// A read of a chunk, by the thread that named its address.
struct Read {
  int thread;
  uint32_t epoch;  // the reader's own, at the read
  CallSite at;
};

struct Chunk {
  int transfer = -1;  // the copy that wrote these bytes last; -1: none
  int previous = -1;  // the one before it
  char operand = 0;   // where they come from, once landed
  int32_t row = 0, col = 0;
  std::vector<Read> reads;  // since that copy: the last one of each thread

  void note(const Read& read);
};

class SharedMemory {
 public:
  explicit SharedMemory(size_t bytes);

  // Everything is NaN, from nowhere.
  void reset();

  size_t bytes() const { return bytes_; }
  uint8_t* begin() { return begin_; }
  uint8_t* at(uint32_t addr) { return begin_ + (addr - shared_window); }
  uint32_t addr_of(const void* object) const {
    return shared_window + static_cast<uint32_t>(static_cast<const uint8_t*>(object) - begin_);
  }
  bool contains(uint32_t addr, uint32_t bytes) const {
    return addr >= shared_window && addr - shared_window + static_cast<uint64_t>(bytes) <= bytes_;
  }

  Chunk& chunk(uint32_t addr) { return chunks_[(addr - shared_window) / chunk_bytes]; }

  // The copy that wrote these bytes last, or nullptr.
  const Transfer* writer(uint32_t addr) {
    const int transfer = chunk(addr).transfer;
    return transfer < 0 ? nullptr : &transfers[transfer];
  }

  // These bytes belong to the copy now: whoever reads them finds NaN until they land.
  void give_to(int transfer);

  std::vector<Transfer> transfers;  // all of the block so far

 private:
  const size_t bytes_;
  std::vector<uint8_t> memory_;
  uint8_t* begin_;  // aligned, inside memory_
  std::vector<Chunk> chunks_;
};

}  // namespace emulator
