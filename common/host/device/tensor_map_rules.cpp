#include "tensor_map_rules.h"

#include "../support/text.h"

namespace {

constexpr int64_t element_bytes = sizeof(bf16);
constexpr int64_t most_extent = int64_t{1} << 32;
constexpr int64_t most_stride = int64_t{1} << 40;  // exclusive
constexpr int64_t most_box = 256;
constexpr int64_t granule = 16;  // bytes: the unit of addresses, strides and box rows

using Sentence = std::string;
using longlong = long long;

// What config.h calls the rows of the matrix and of the box.
const char* rows_name(char operand) { return operand == 'A' ? "M" : "N"; }
const char* box_rows_name(char operand) { return operand == 'A' ? "BM" : "BN"; }

Sentence check_extent(char operand, const char* name, int64_t value) {
  if (value >= 1 && value <= most_extent) return "";
  return format(
      "operand %c: %s = %lld, but a tensor map has 1 to 2^32 elements a dimension; change %s",
      operand, name, longlong(value), name);
}

Sentence check_address(char operand, const bf16* address) {
  const uint64_t past = reinterpret_cast<uintptr_t>(address) % granule;
  if (past == 0) return "";
  return format(
      "operand %c: its address is %llu bytes past a multiple of 16, which TMA needs; align the "
      "memory to 16 bytes",
      operand, static_cast<unsigned long long>(past));
}

Sentence check_stride(char operand, int64_t cols) {
  const int64_t stride = cols * element_bytes;
  if (stride % granule != 0) {
    return format(
        "operand %c: the row stride is %lld bytes (K = %lld bf16), but TMA needs a multiple of 16 "
        "bytes; make K a multiple of 8",
        operand, longlong(stride), longlong(cols));
  }
  if (stride >= most_stride) {
    return format(
        "operand %c: the row stride is %lld bytes (K = %lld bf16), but TMA needs less than 2^40; "
        "make K smaller",
        operand, longlong(stride), longlong(cols));
  }
  return "";
}

Sentence check_box(char operand, const char* name, int64_t value) {
  if (value >= 1 && value <= most_box) return "";
  return format(
      "operand %c: %s = %lld, but a TMA box has 1 to 256 elements a dimension; %s", operand, name,
      longlong(value), value > most_box ? "make it 256 or less" : "make it 1 or more");
}

Sentence check_box_row(char operand, int64_t box_cols, int swizzle) {
  const int64_t bytes = box_cols * element_bytes;
  if (bytes % granule != 0) {
    return format(
        "operand %c: a row of the box is %lld bytes (BK = %lld bf16), but TMA needs a multiple of "
        "16 bytes; make BK a multiple of 8",
        operand, longlong(bytes), longlong(box_cols));
  }
  if (swizzle != 0 && bytes > swizzle) {
    return format(
        "operand %c: a row of the box is %lld bytes (BK = %lld bf16), but swizzle = %d allows at "
        "most %d; make BK %lld or less, or choose a wider swizzle or 0",
        operand, longlong(bytes), longlong(box_cols), swizzle, swizzle,
        longlong(swizzle / element_bytes));
  }
  return "";
}

Sentence check_swizzle(char operand, int swizzle) {
  if (swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128) return "";
  return format(
      "operand %c: swizzle = %d bytes, but TMA has only 0, 32, 64 and 128; choose one of them",
      operand, swizzle);
}

}  // namespace

std::string find_tensor_map_fault(const TensorMapRequest& request) {
  const char operand = request.operand;
  for (const Sentence& sentence : {
           check_extent(operand, rows_name(operand), request.matrix.rows),
           check_extent(operand, "K", request.matrix.cols),
           check_address(operand, request.address),
           check_stride(operand, request.matrix.cols),
           check_swizzle(operand, request.swizzle),
           check_box(operand, box_rows_name(operand), request.box.rows),
           check_box(operand, "BK", request.box.cols),
           check_box_row(operand, request.box.cols, request.swizzle),
       }) {
    if (!sentence.empty()) return sentence;
  }
  return "";
}
