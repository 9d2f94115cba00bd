// The same product by cuBLAS: reference of the verification and peer of the benchmark.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <string>

#include "backend.h"

enum class OutputType { fp32, bf16 };

class CublasMatmul {
 public:
  // Makes the handle and its workspace, which no timing must include. Throws Refusal.
  CublasMatmul();
  ~CublasMatmul();
  CublasMatmul(const CublasMatmul&) = delete;
  CublasMatmul& operator=(const CublasMatmul&) = delete;

  // Later runs go to `stream`; at first they go to the default one.
  void use_stream(cudaStream_t stream);

  // C[M, N] = A[M, K] x B[N, K]^T, all row-major; A and B bf16, accumulation in fp32. Asynchronous.
  void run(const bf16* A, const bf16* B, void* C, OutputType type, int64_t M, int64_t N, int64_t K)
      const;

  // "13.0.2".
  static std::string version();

 private:
  cublasHandle_t handle_;
  Buffer<uint8_t> workspace_;
};
