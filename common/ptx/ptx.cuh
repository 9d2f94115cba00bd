// The instructions that the kernels use, by one name on both backends: nvcc compiles them to PTX,
// g++ to calls into the emulator. A stage includes this file and needs no #ifdef.
#pragma once

#include "instructions.h"

#ifdef __CUDACC__
#include "cuda_instructions.cuh"
#endif
