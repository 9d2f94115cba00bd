#include <type_traits>

#include "cuda_check.h"
#include "tensor_map.h"

namespace {

using EncodeTiled = std::remove_pointer_t<decltype(&cuTensorMapEncodeTiled)>;

EncodeTiled* find_encoder() {
  EncodeTiled* const encode = find_driver_function<EncodeTiled>("cuTensorMapEncodeTiled", 12000);
  if (encode != nullptr) return encode;
  throw Refusal("the driver has no cuTensorMapEncodeTiled: install a driver for CUDA 12 or newer");
}

CUtensorMapSwizzle swizzle_mode(int bytes) {
  switch (bytes) {
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

}  // namespace

CUtensorMap encode_tensor_map(const TensorMapRequest& request) {
  const auto& [operand, address, matrix, box, swizzle] = request;
  // The driver counts dimensions from the innermost, and takes no stride for that one.
  const cuuint64_t extents[] = {cuuint64_t(matrix.cols), cuuint64_t(matrix.rows)};
  const cuuint64_t strides[] = {matrix.cols * sizeof(bf16)};
  const cuuint32_t box_extents[] = {cuuint32_t(box.cols), cuuint32_t(box.rows)};
  const cuuint32_t element_strides[] = {1, 1};

  static EncodeTiled* const encode_tiled = find_encoder();
  CUtensorMap map;
  CUDA_CHECK(encode_tiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(address), extents, strides,
      box_extents, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_mode(swizzle),
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}
