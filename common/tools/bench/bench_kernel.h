// A stage's kernel, compiled for one problem, as the benchmark sees it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../host/config/config_description.h"
#include "../../host/device/device.h"
#include "../../host/device/matrices.h"

struct BenchKernel {
  ConfigDescription config;
  std::string preset;  // "" for the stage's config.h
  const void* kernel;
  // Launches the kernel on these matrices, which must live as long as the function.
  std::function<std::function<void()>(Device&, const Matrices&)> make_launch;
};

// All that this program was built with, in the order in which it runs them. make writes it.
std::vector<BenchKernel> bench_kernels();
