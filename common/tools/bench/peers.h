// The peers that have a choice of kernels with mma.sync, of which only the fastest takes part.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../../host/measure/timing.h"

// The kernel that was chosen to write the product to C, in fp32.
struct Peer {
  std::function<void()> launch;  // asynchronous; throws Refusal. The matrices must outlive it
  std::string kernel;            // its name, "" where the driver does not say
  std::string text;              // what it is, and of how many
};

// The fastest algorithm of cuBLASLt whose kernel uses mma.sync, which its name must prove: those
// that the library recommends, then all others, are run briefly, for `seconds` at most, and the
// best of them two rounds in turn. Nothing if there is none.
std::optional<Peer> find_best_lt(
    const Product& product,
    float* C,
    const std::string& arch,
    const Timer& timer,
    double seconds);

// A kernel of CUTLASS 2.x, which does not depend on what cuBLASLt offers.
struct CutlassKernel {
  using Launch = std::function<void(cudaStream_t)>;  // asynchronous; throws Refusal

  std::string text;  // "tile 256x128x32, warps of 64x64x32, 3 stages"
  // The launch for these matrices, which must outlive it; nothing if CUTLASS says that the kernel
  // cannot run this size, or this GPU lacks the shared memory. Throws Refusal.
  std::function<std::optional<Launch>(const Product&, float* C)> make_launch;
};

// Those in the program, where make was given CUTLASS=. make writes it.
std::vector<CutlassKernel> cutlass_kernels();

// The fastest of them, by two rounds in turn. Nothing if none can run this size.
std::optional<Peer> find_best_cutlass(const Product& product, float* C, const Timer& timer);
