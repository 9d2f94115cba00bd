#include "cublas_matmul.h"

#include "cuda_check.h"

namespace {

// What PyTorch gives cuBLAS on Hopper and later.
constexpr int64_t workspace_bytes = int64_t{32} << 20;

}  // namespace

CublasMatmul::CublasMatmul() : workspace_(workspace_bytes) {
  CUDA_CHECK(cublasCreate(&handle_));
  CUDA_CHECK(cublasSetWorkspace(handle_, workspace_.get(), workspace_bytes));
}

CublasMatmul::~CublasMatmul() { cublasDestroy(handle_); }

void CublasMatmul::use_stream(cudaStream_t stream) {
  CUDA_CHECK(cublasSetStream(handle_, stream));
  // A change of stream forgets the workspace, and another workspace may mean another kernel.
  CUDA_CHECK(cublasSetWorkspace(handle_, workspace_.get(), workspace_bytes));
}

// cuBLAS counts elements column by column. Read so, our C is C^T [N, M], A is A^T [K, M] and B is
// B^T [K, N], each with the length of our rows as its leading dimension; and C^T = B A^T, in which
// B is B^T transposed.
void CublasMatmul::run(const Product& product, void* C, OutputType type) const {
  const int M = static_cast<int>(product.M);
  const int N = static_cast<int>(product.N);
  const int K = static_cast<int>(product.K);
  const float one = 1, zero = 0;
  const cudaDataType_t c_type = type == OutputType::fp32 ? CUDA_R_32F : CUDA_R_16BF;
  CUDA_CHECK(cublasGemmEx(
      handle_, CUBLAS_OP_T, CUBLAS_OP_N, N, M, K, &one, product.B, CUDA_R_16BF, K, product.A,
      CUDA_R_16BF, K, &zero, C, c_type, N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

std::string CublasMatmul::version() {
  int major = 0, minor = 0, patch = 0;
  CUDA_CHECK(cublasGetProperty(MAJOR_VERSION, &major));
  CUDA_CHECK(cublasGetProperty(MINOR_VERSION, &minor));
  CUDA_CHECK(cublasGetProperty(PATCH_LEVEL, &patch));
  return format("%d.%d.%d", major, minor, patch);
}
