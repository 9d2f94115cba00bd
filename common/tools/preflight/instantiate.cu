// The kernel of a stage and nothing else, for `make resources`, for the tuner and for the tests of
// configs that must not compile. Who compiles it includes the stage's config.h and kernel.cuh
// before this file.
template __global__ void matmul_kernel<Config>(
    const __grid_constant__ CUtensorMap,
    const __grid_constant__ CUtensorMap,
    float*);

#ifdef STORAGE_BYTES  // what the tuner takes the storage for
static_assert(
    sizeof(SharedStorage<Config>) == STORAGE_BYTES,
    "shared_storage_bytes() of common/host/config does not describe the stage's storage");
#endif
