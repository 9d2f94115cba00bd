// The program around the kernel, the same in every stage: C = A x B, verified, then timed.
//
//   make 02 && ./02_warp_specialized/run          with or without a GPU
//   ./02_warp_specialized/run --help              the options
#include "../common/host/program.h"
#include "config.h"
#include "kernel.cuh"

int main(int argc, char** argv) {
  constexpr size_t smem_bytes = sizeof(SharedStorage<Config>);  // dynamic, per block
  const ConfigDescription config = describe<Config>(smem_bytes);
  Run run(config, argc, argv);
  try {
    // Read the options, open the GPU (or the emulator), print what will run.
    Device& device = run.open(matmul_kernel<Config>);

    // A [M, K] and B [N, K] are bf16, C [M, N] is fp32; all are row-major, in device memory.
    Matrices matrices(config);

    // TMA copies boxes of a matrix to shared memory. A tensor map tells it where the matrix is, how
    // large it and a box are, and how the box is swizzled on its way.
    const CUtensorMap a_map = make_tensor_map(
        'A', matrices.A(), Extent{Config::M, Config::K}, Extent{Config::BM, Config::BK},
        Config::swizzle);
    const CUtensorMap b_map = make_tensor_map(
        'B', matrices.B(), Extent{Config::N, Config::K}, Extent{Config::BN, Config::BK},
        Config::swizzle);

    // One block per tile of C, in a one-dimensional grid: the kernel decides which tile is whose.
    const auto launch = [&] {
      launch_kernel(
          device, matmul_kernel<Config>, Config::blocks, Config::threads, smem_bytes, a_map, b_map,
          matrices.C());
    };

    // Fill A and B, poison C with NaN, launch, and compare C with a reference that shares nothing
    // with the kernel.
    const bool verified = run.verify(matrices, launch);

    // On a GPU: TFLOP/s of the kernel, of cuBLAS, and of mma.sync on registers alone.
    if (verified) run.benchmark(matrices, launch);

    return run.finish();
  } catch (const std::exception& error) {
    return run.refuse(error);
  }
}
