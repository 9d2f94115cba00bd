#include <cuda_runtime.h>

#include "cuda_check.h"
#include "tensor_map.h"

namespace {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// The driver's encoder, looked up at run time: linked against -lcuda, the program could not even
// start, and say so, on a machine without a driver.
EncodeTiled find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  constexpr int since = 12000;  // CUDA 12.0
  CUDA_CHECK(cudaGetDriverEntryPointByVersion(
      "cuTensorMapEncodeTiled", &function, since, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    throw Refusal(
        "the driver has no cuTensorMapEncodeTiled: install a driver for CUDA 12 or newer");
  }
  return reinterpret_cast<EncodeTiled>(function);
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

  static const EncodeTiled encode_tiled = find_encoder();
  CUtensorMap map;
  CUDA_CHECK(encode_tiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(address), extents, strides,
      box_extents, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_mode(swizzle),
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}
