// One stage for one problem, as an object of the benchmark. make compiles it for each stage and
// size; it includes the build's options, the stage's config.h and kernel.cuh before this file, and
// defines
//   BENCH_ENTRY   the name of the function below
//   Fields        another name for the config's struct in each object, so that one program can hold
//                 all of them: the kernels are templates of it
#include "../../host/program.h"
#include "bench_kernel.h"

#ifndef CONFIG_PRESET
#define CONFIG_PRESET ""
#endif

static std::function<void()> make_launch(Device& device, const Matrices& matrices) {
  const CUtensorMap a_map = make_tensor_map(
      'A', matrices.A(), Extent{Config::M, Config::K}, Extent{Config::BM, Config::BK},
      Config::swizzle);
  const CUtensorMap b_map = make_tensor_map(
      'B', matrices.B(), Extent{Config::N, Config::K}, Extent{Config::BN, Config::BK},
      Config::swizzle);
  float* const C = matrices.C();
  return [&device, a_map, b_map, C] {
    launch_kernel(
        device, matmul_kernel<Config>, Config::blocks, Config::threads,
        sizeof(SharedStorage<Config>), a_map, b_map, C);
  };
}

BenchKernel BENCH_ENTRY() {
  BenchKernel entry;
  entry.config = describe<Config>(sizeof(SharedStorage<Config>));
  entry.preset = CONFIG_PRESET;
  entry.kernel = reinterpret_cast<const void*>(matmul_kernel<Config>);
  entry.make_launch = make_launch;
  return entry;
}
