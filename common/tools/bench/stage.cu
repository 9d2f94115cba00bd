// One stage for one problem, as an object of the benchmark. make compiles it for each stage and
// size. It includes before this file the build's options, and the stage's config.h and kernel.cuh
// in a namespace of their own (in_namespace.sh), so that one program can hold all of them;
// BENCH_ENTRY is the name of the function below.
#include "../../host/config/describe.h"
#include "../../host/device/launch.h"

MatmulKernel BENCH_ENTRY() {
  return {
      describe<Config>(sizeof(SharedStorage<Config>)),
      reinterpret_cast<const void*>(matmul_kernel<Config>)};
}
