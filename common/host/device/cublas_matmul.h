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

  // C becomes the product, accumulated in fp32. Asynchronous.
  void run(const Product& product, void* C, OutputType type) const;

  // "13.0.2".
  static std::string version();

 private:
  cublasHandle_t handle_;
  Buffer<uint8_t> workspace_;
};
