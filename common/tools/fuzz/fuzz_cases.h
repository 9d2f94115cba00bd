// The configs of a stage as the fuzzer runs them. A generated file defines fuzz_cases(): it
// includes this one, then the stage's config.h and kernel.cuh.
#pragma once

#include <vector>

#include "../../host/config/describe.h"
#include "../../host/device/launch.h"

// In the order in which they were drawn.
std::vector<MatmulKernel> fuzz_cases();

// One of them. `smem_bytes` is sizeof(SharedStorage<Cfg>), `drawn_bytes` what the drawing took it
// for when it judged the config legal.
template <class Cfg, size_t smem_bytes, size_t drawn_bytes, class Kernel>
MatmulKernel make_case(Kernel* kernel) {
  static_assert(
      smem_bytes == drawn_bytes, "shared_storage_bytes() does not describe the stage's storage");
  return {describe<Cfg>(smem_bytes), reinterpret_cast<const void*>(kernel)};
}
