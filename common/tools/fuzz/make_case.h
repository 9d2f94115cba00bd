// What a generated file of fuzz cases includes, before a stage's config.h and kernel.cuh.
#pragma once

#include "../../host/program.h"
#include "fuzz_case.h"

// The config as a FuzzCase, launched as main.cu does it. `smem_bytes` is
// sizeof(SharedStorage<Cfg>), `drawn_bytes` what the drawing took it for, at most, when it judged
// the config legal.
template <class Cfg, size_t smem_bytes, size_t drawn_bytes, class Kernel>
FuzzCase make_case(Kernel* kernel) {
  static_assert(
      smem_bytes <= drawn_bytes && drawn_bytes <= smem_bytes + 1024,
      "draw.cpp: most_storage_bytes() does not describe the stage's storage");
  const auto launch = [kernel](Device& device, const Matrices& matrices) {
    const CUtensorMap a_map = make_tensor_map(
        'A', matrices.A(), Extent{Cfg::M, Cfg::K}, Extent{Cfg::BM, Cfg::BK}, Cfg::swizzle);
    const CUtensorMap b_map = make_tensor_map(
        'B', matrices.B(), Extent{Cfg::N, Cfg::K}, Extent{Cfg::BN, Cfg::BK}, Cfg::swizzle);
    launch_kernel(
        device, kernel, Cfg::blocks, Cfg::threads, smem_bytes, a_map, b_map, matrices.C());
  };
  return {describe<Cfg>(smem_bytes), reinterpret_cast<const void*>(kernel), launch};
}
