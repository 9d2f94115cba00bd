// The kernel of one config, compiled by the tuner into a file of GPU code. The config's options,
// config.h and kernel.cuh are included before this file.
static_assert(
    sizeof(SharedStorage<Config>) == TUNE_SMEM_BYTES,
    "shared_storage_bytes() in common/tools/tune/space.cpp no longer agrees with SharedStorage");
#include "../preflight/instantiate.cu"
