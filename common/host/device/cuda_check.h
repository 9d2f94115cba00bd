// CUDA_CHECK(call): throws Refusal, with the call's text, the error and the line, unless the call
// of the CUDA runtime, the driver or cuBLAS succeeded.
#pragma once

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include "../support/refusal.h"
#include "../support/text.h"

#define CUDA_CHECK(call) check_cuda_call((call), #call)

inline std::string cuda_error_text(cudaError_t status) {
  return format("%s (%s)", cudaGetErrorName(status), cudaGetErrorString(status));
}

// The driver's names for its errors are behind libcuda, which is not linked: the number must do.
inline std::string cuda_error_text(CUresult status) {
  return format("CUresult %d (enum cudaError_enum in cuda.h)", static_cast<int>(status));
}

inline std::string cuda_error_text(cublasStatus_t status) {
  return format("%s (%s)", cublasGetStatusName(status), cublasGetStatusString(status));
}

template <class Status>
void check_cuda_call(
    Status status,
    const char* call,
    const char* file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  if (status == Status{}) return;  // 0 is success, for all of them
  const std::string error = cuda_error_text(status);
  throw Refusal(format("%s failed with %s at %s:%d", call, error.c_str(), file, line));
}

// A function of the driver, by its name and the version of CUDA that it came with; nullptr where
// the driver is older. Linked against -lcuda, a program could not even start, and say so, on a
// machine without a driver.
template <class Function>
Function* find_driver_function(const char* name, unsigned since) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &found);
  if (status == cudaSuccess && found == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<Function*>(function);
  }
  cudaGetLastError();
  return nullptr;
}
