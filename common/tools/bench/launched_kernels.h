// Which kernels does a library launch? Asked without a profiler.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>

// The names of the kernels that `call` puts on the stream it is given, joined by " + ". `call` is
// captured into a graph and does not run; it must have run before, so that the library has loaded
// its kernels. "" where the driver cannot say (older than CUDA 12.3) or the call cannot be
// captured.
std::string launched_kernels(const std::function<void(cudaStream_t)>& call);
