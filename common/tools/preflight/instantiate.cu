// The kernel of a stage and nothing else, for `make resources` and for the tests of configs that
// must not compile. make includes the stage's config.h and kernel.cuh before this file.
template __global__ void matmul_kernel<Config>(
    const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap,
    float*);
