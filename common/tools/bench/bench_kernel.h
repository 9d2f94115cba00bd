// The stages' kernels as the benchmark sees them: each is compiled for one problem.
#pragma once

#include <vector>

#include "../../host/device/launch.h"

// All that this program was built with, in the order in which it runs them. make writes it.
std::vector<MatmulKernel> bench_kernels();
