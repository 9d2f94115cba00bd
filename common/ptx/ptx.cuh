// The instructions that the kernels use, by one name on both backends: nvcc compiles them to PTX,
// g++ to calls into the emulator. This file alone knows which; a stage needs no #ifdef.
#pragma once

#ifdef __CUDACC__
#include "cuda_types.cuh"
//
#include "instructions.h"
//
#include "cuda_instructions.cuh"
#else
#include "emulated.h"
//
#include "instructions.h"
#endif
