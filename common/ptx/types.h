// The types that instructions and kernels are made of, as the compiler at work has them.
#pragma once

#ifdef __CUDACC__
#include "cuda_types.cuh"
#else
#include "emulated.h"
#endif
