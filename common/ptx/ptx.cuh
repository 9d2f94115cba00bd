// The instructions that the kernels use, by one name on both backends: nvcc compiles them to PTX,
// g++ to calls into the emulator. Only this folder knows which; a stage needs no #ifdef.
#pragma once

#include "instructions.h"

#ifdef __CUDACC__
#include "cuda_instructions.cuh"
#endif
