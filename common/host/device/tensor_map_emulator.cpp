#include "tensor_map.h"

CUtensorMap encode_tensor_map(const TensorMapRequest& request) {
  CUtensorMap map = {};
  map.base = request.address;
  map.rows = request.matrix.rows;
  map.cols = request.matrix.cols;
  map.row_bytes = request.matrix.cols * sizeof(bf16);
  map.box_rows = static_cast<uint32_t>(request.box.rows);
  map.box_cols = static_cast<uint32_t>(request.box.cols);
  map.swizzle = request.swizzle;
  map.operand = request.operand;
  return map;
}
