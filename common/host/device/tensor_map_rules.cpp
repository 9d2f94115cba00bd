#include "tensor_map_rules.h"

#include "../support/text.h"

namespace {

constexpr int64_t element_bytes = sizeof(bf16);
constexpr int64_t most_extent = int64_t{1} << 32;
constexpr int64_t most_stride = int64_t{1} << 40;  // exclusive
constexpr int64_t most_box = 256;
constexpr int64_t granule = 16;  // bytes: the unit of addresses, strides and box rows

// What config.h calls an extent, and its value.
struct Named {
  const char* name;
  long long value;
};

// The same without the operand.
std::string find_fault(
    const Named (&matrix)[2],
    const Named (&box)[2],
    const bf16* address,
    int swizzle) {
  for (const auto& [name, value] : matrix) {
    if (value >= 1 && value <= most_extent) continue;
    return format(
        "%s = %lld, but a tensor map has 1 to 2^32 elements a dimension; change %s", name, value,
        name);
  }
  const unsigned long long past = reinterpret_cast<uintptr_t>(address) % granule;
  if (past != 0) {
    return format(
        "its address is %llu bytes past a multiple of 16, which TMA needs; align the memory to 16 "
        "bytes",
        past);
  }
  const long long stride = matrix[1].value * element_bytes;
  const std::string stride_text = format(
      "the row stride is %lld bytes (K = %lld bf16), but TMA needs ", stride, matrix[1].value);
  if (stride % granule != 0) {
    return stride_text + "a multiple of 16 bytes; make K a multiple of 8";
  }
  if (stride >= most_stride) return stride_text + "less than 2^40; make K smaller";
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128) {
    return format(
        "swizzle = %d bytes, but TMA has only 0, 32, 64 and 128; choose one of them", swizzle);
  }
  for (const auto& [name, value] : box) {
    if (value >= 1 && value <= most_box) continue;
    return format(
        "%s = %lld, but a TMA box has 1 to 256 elements a dimension; %s", name, value,
        value > most_box ? "make it 256 or less" : "make it 1 or more");
  }
  const long long bytes = box[1].value * element_bytes;
  const std::string row_text =
      format("a row of the box is %lld bytes (BK = %lld bf16), but ", bytes, box[1].value);
  if (bytes % granule != 0) {
    return row_text + "TMA needs a multiple of 16 bytes; make BK a multiple of 8";
  }
  if (swizzle != 0 && bytes > swizzle) {
    return row_text +
           format(
               "swizzle = %d allows at most %d; make BK %d or less, or choose a wider swizzle or 0",
               swizzle, swizzle, static_cast<int>(swizzle / element_bytes));
  }
  return "";
}

}  // namespace

std::string find_tensor_map_fault(const TensorMapRequest& request) {
  const bool is_A = request.operand == 'A';
  const Named matrix[] = {{is_A ? "M" : "N", request.matrix.rows}, {"K", request.matrix.cols}};
  const Named box[] = {{is_A ? "BM" : "BN", request.box.rows}, {"BK", request.box.cols}};
  const std::string fault = find_fault(matrix, box, request.address, request.swizzle);
  return fault.empty() ? "" : format("operand %c: %s", request.operand, fault.c_str());
}
