// CUDA_CHECK(call): throws Refusal, with the call's text, the error and the line, unless the call
// of the CUDA runtime, the driver or cuBLAS succeeded.
#pragma once

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include "../support/refusal.h"
#include "../support/text.h"

#define CUDA_CHECK(call) check_cuda_call((call), #call)

inline void check_cuda_call(
    cudaError_t status,
    const char* call,
    const char* file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  if (status == cudaSuccess) return;
  throw Refusal(format(
      "%s failed with %s (%s) at %s:%d", call, cudaGetErrorName(status), cudaGetErrorString(status),
      file, line));
}

// The driver's names for its errors are behind libcuda, which is not linked: the number must do.
inline void check_cuda_call(
    CUresult status,
    const char* call,
    const char* file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  if (status == CUDA_SUCCESS) return;
  throw Refusal(format(
      "%s failed with CUresult %d (enum cudaError_enum in cuda.h) at %s:%d", call,
      static_cast<int>(status), file, line));
}

inline void check_cuda_call(
    cublasStatus_t status,
    const char* call,
    const char* file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Refusal(format(
      "%s failed with %s (%s) at %s:%d", call, cublasGetStatusName(status),
      cublasGetStatusString(status), file, line));
}
