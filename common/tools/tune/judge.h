// Is a compiled config right, and how fast is it? On the GPU.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../host/device/launch.h"
#include "../../host/verify/expected_product.h"
#include "compile.h"

// A kernel loaded from a file of GPU code, with what its launch needs.
class LoadedKernel {
 public:
  // Throws Refusal if the file cannot be loaded.
  LoadedKernel(const Compiled& compiled, Device& device, const Matrices& matrices);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  // C of `matrices` becomes the product; asynchronous. Throws Refusal if the GPU takes no such
  // launch.
  void launch() const { launch_(); }

 private:
  cudaLibrary_t library_ = nullptr;
  std::function<void()> launch_;
};

class Judge {
 public:
  // Makes the inputs, and the reference to compare with. `config` has the problem's size.
  Judge(const ConfigDescription& config, const Device& device);

  // What is wrong with the kernel's product of exact integers, compared bit for bit; "" if nothing
  // is. Throws Refusal if the GPU can no longer be used.
  std::string find_fault(const Compiled& compiled);

  // Milliseconds of each, the median of `runs` in each of `rounds`, in which they take turns.
  // Inputs are random, and the L2 is flushed before each run.
  std::vector<double> time(
      const std::vector<std::unique_ptr<LoadedKernel>>& kernels,
      int rounds,
      int runs) const;

  std::unique_ptr<LoadedKernel> load(const Compiled& compiled);

 private:
  Device device_;
  Matrices exact_, random_;
  ExpectedProduct expected_;  // of exact_
  Buffer<uint8_t> flushed_;
};
