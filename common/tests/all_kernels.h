// The four kernels in one file, each in a namespace of its own.
#pragma once

#include <numeric>

#include "../block_swizzle.h"
#include "../config.h"
#include "../gemm_maker.cuh"
#include "../stage_ring.h"

namespace stage_00 {
#include "../../00_naive/config.h"
#include "../../00_naive/kernel.cuh"
}  // namespace stage_00
namespace stage_01 {
#include "../../01_swizzle/config.h"
#include "../../01_swizzle/kernel.cuh"
}  // namespace stage_01
namespace stage_02 {
#include "../../02_warp_specialized/config.h"
#include "../../02_warp_specialized/kernel.cuh"
}  // namespace stage_02
namespace stage_03 {
#include "../../03_fused_pipeline/config.h"
#include "../../03_fused_pipeline/kernel.cuh"
}  // namespace stage_03
