#include "../support/refusal.h"
#include "tensor_map.h"

CUtensorMap make_tensor_map(
    char operand,
    const bf16* address,
    Extent matrix,
    Extent box,
    int swizzle) {
  const std::string fault = find_tensor_map_fault({operand, address, matrix, box, swizzle});
  if (!fault.empty()) throw Refusal(fault);

  CUtensorMap map = {};
  map.base = address;
  map.rows = matrix.rows;
  map.cols = matrix.cols;
  map.row_bytes = matrix.cols * sizeof(bf16);
  map.box_rows = static_cast<uint32_t>(box.rows);
  map.box_cols = static_cast<uint32_t>(box.cols);
  map.swizzle = swizzle;
  map.operand = operand;
  return map;
}
