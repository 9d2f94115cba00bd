// What a device must offer, apart from asking it: sentences of refusals that need no GPU to test.
// Each function returns what is wrong and what to do, in one line, or "" if nothing is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "device.h"

// A GPU as far as the rules care; its name and compute capability.
struct GpuKind {
  std::string name;
  int major, minor;
};

// CUDA versions as the runtime counts them (13000 is 13.0). `driver` is 0 where none is installed;
// `insufficient` is the runtime's own verdict.
std::string find_driver_fault(int driver, int toolkit, bool insufficient);

// TMA came with compute capability 9.0.
std::string find_gpu_fault(const GpuKind& gpu);

// The sentence for a GPU for which the binary holds no code.
std::string no_code_fault(const GpuKind& gpu, const ConfigDescription& config);

// Shared memory of a block against the GPU's limit, bytes.
std::string find_shared_memory_fault(size_t needed, size_t limit);

// Memory for the matrices, bytes. `kind`: "GPU memory".
std::string find_memory_fault(
    const ConfigDescription& config,
    double needed,
    double available,
    const char* kind);

// The bytes of memory that a run needs, on a GPU or on the emulator.
double device_bytes_needed(const Options& options, const ConfigDescription& config);

// Of an integrated GPU, CUDA counts as free what nobody uses; what the system holds of files counts
// as well, which it gives up where memory is needed. All in bytes.
double usable_gpu_memory(bool integrated, double free, double available_to_host);

// A grid has at most 2^31 - 1 blocks.
std::string find_grid_fault(int64_t blocks);

// 13000 as CUDA counts versions: "13.0".
std::string cuda_version_text(int version);
