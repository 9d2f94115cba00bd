// launch_kernel(): the same call on both backends.
#pragma once

#include <cstddef>
#include <cstdint>

#include <functional>

#include "device.h"
#include "matrices.h"

// A matmul_kernel<Cfg>, as those parts see it that know no template.
struct MatmulKernel {
  ConfigDescription config;
  const void* function;
};

// The launch of `kernel` on these matrices, as main.cu does it. Device and matrices must outlive
// the launch. `kernel` may also be a cudaKernel_t; its config's smem_bytes must be known.
std::function<void()> matmul_launch(
    const void* kernel,
    const ConfigValues& config,
    Device& device,
    const Matrices& matrices);

// Launches blocks of `threads` threads, with `smem_bytes` of dynamic shared memory each, on the
// device's next launch settings. `arguments` points to the kernel's arguments, one pointer each.
// Throws Refusal if the GPU does not take the launch; a fault of the running kernel shows up in
// backend::synchronize().
void launch_on_gpu(
    const void* kernel,
    int64_t blocks,
    int threads,
    size_t smem_bytes,
    void** arguments);

#ifdef __CUDACC__

template <class... Arguments>
void launch_kernel(
    Device&,
    void (*kernel)(Arguments...),
    int64_t blocks,
    int threads,
    size_t smem_bytes,
    Arguments... arguments) {
  void* pointers[] = {&arguments...};
  launch_on_gpu(reinterpret_cast<const void*>(kernel), blocks, threads, smem_bytes, pointers);
}

#else

// Runs `thread` as every thread of the launch. What the emulator counts and reports goes to
// device.last_launch.
void launch_on_emulator(
    Device& device,
    int64_t blocks,
    int threads,
    size_t smem_bytes,
    const std::function<void()>& thread);

template <class... Arguments>
void launch_kernel(
    Device& device,
    void (*kernel)(Arguments...),
    int64_t blocks,
    int threads,
    size_t smem_bytes,
    Arguments... arguments) {
  launch_on_emulator(device, blocks, threads, smem_bytes, [&] { kernel(arguments...); });
}

#endif
