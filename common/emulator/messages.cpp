#include "messages.h"

#include "emulator.h"
#include "shared_memory.h"

namespace emulator {

std::string where(CallSite at) {
  if (!at.file) return "an unknown line";
  std::string file = at.file;
  const size_t up = file.rfind("../");
  if (up != std::string::npos) file.erase(0, up + 3);
  return file + ":" + std::to_string(at.line);
}

std::ostream& operator<<(std::ostream& out, CallSite at) { return out << where(at); }

std::ostream& operator<<(std::ostream& out, Who who) {
  return out << "block " << who.block << ", warp " << who.thread / lanes_per_warp << ", lane "
             << who.thread % lanes_per_warp;
}

std::ostream& operator<<(std::ostream& out, BarrierName name) {
  return out << "the mbarrier initialised at " << name.init_at << " (number " << name.number
             << " of that line)";
}

// Which part of the box it is follows from trying where each goes.
std::ostream& operator<<(std::ostream& out, Bytes bytes) {
  const uint32_t rows = bytes.copy ? bytes.copy->map.box_rows : 0;
  for (uint32_t row = 0; row < rows; row++) {
    for (uint32_t c = 0; c < bytes.copy->row_bytes() / chunk_bytes; c++) {
      if (bytes.copy->chunk_addr(row, c) != bytes.addr) continue;
      const uint32_t col = c * chunk_bytes / sizeof(bf16);
      out << bytes.copy->map.operand << ", buffer " << bytes.copy->buffer << ", row " << row
          << ", columns " << col << " to " << col + 7 << ", k-tile " << bytes.copy->k_tile()
          << "; ";
    }
  }
  const uint32_t first = bytes.addr - shared_window;
  return out << "shared memory 0x" << std::hex << first << " to 0x" << first + chunk_bytes - 1
             << std::dec;
}

}  // namespace emulator
