// The same product by kernels of CUTLASS 2.x, which use mma.sync: a peer that does not depend on
// what cuBLASLt offers. They are in the program where make was given CUTLASS=.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../host/measure/timing.h"

// One of the kernels.
struct CutlassKernel {
  using Launch = std::function<void(cudaStream_t)>;  // asynchronous; throws Refusal

  std::string text;  // "tile 256x128x32, warps of 64x64x32, 3 stages"
  // The launch for these matrices, which must outlive it; nothing if CUTLASS says that the kernel
  // cannot run this size. Throws Refusal.
  std::function<std::optional<Launch>(const Product&, float* C)> make_launch;
};

// All that this program was built with. make writes it.
std::vector<CutlassKernel> cutlass_kernels();

// A kernel and what is known about it.
struct CutlassChoice {
  CutlassKernel::Launch launch;
  std::string kernel;  // its name, "" where the driver does not say
  std::string text;
  size_t tried;  // how many of the kernels can run this size
};

// The fastest of cutlass_kernels(), by a few rounds in turn. Nothing if none can run this size.
std::optional<CutlassChoice> find_best_cutlass(
    const Product& product,
    float* C,
    const Timer& timer);
