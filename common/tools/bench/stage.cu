// One stage for one problem, as an object of the benchmark. make compiles it for each stage and
// size; it includes the build's options, the stage's config.h and kernel.cuh before this file, and
// defines
//   BENCH_ENTRY   the name of the function below
//   Fields        another name for the config's struct in each object, so that one program can hold
//                 all of them: the kernels are templates of it
#include "../../host/config/describe.h"
#include "../../host/device/launch.h"

MatmulKernel BENCH_ENTRY() {
  return {
      describe<Config>(sizeof(SharedStorage<Config>)),
      reinterpret_cast<const void*>(matmul_kernel<Config>)};
}
