// Runs one config in all four stages.
#pragma once

#include "all_kernels.h"
#include "stage_checks.h"

template <class F>
struct WithProducer : F {
  static constexpr int producer_warps = 1;
};

// Calls use("00", Cfg(), kernel, bytes of shared memory) for the fields F in each stage.
template <class F, class Use>
void for_each_stage(const Use& use) {
  using Cfg = GemmConfig<F>;
  using Specialized = GemmConfig<WithProducer<F>>;
  use("00", Cfg(), stage_00::matmul_kernel<Cfg>, sizeof(stage_00::SharedStorage<Cfg>));
  use("01", Cfg(), stage_01::matmul_kernel<Cfg>, sizeof(stage_01::SharedStorage<Cfg>));
  use("02", Specialized(), stage_02::matmul_kernel<Specialized>,
      sizeof(stage_02::SharedStorage<Specialized>));
  use("03", Cfg(), stage_03::matmul_kernel<Cfg>, sizeof(stage_03::SharedStorage<Cfg>));
}

// A config with all fields that a stage may use.
template <int M_, int N_, int K_, int BM_, int BN_, int BK_>
struct PipelinedFields : TestFields<M_, N_, K_, BM_, BN_, BK_, 1, 1> {
  static constexpr int bk_stages = 2;
  static constexpr int wk_stages = BK_ >= 32 ? 2 : 1;
  static constexpr int swizzle = BK_ == 64 ? 128 : BK_ == 32 ? 64 : 0;
};

// A tensor map as host/tensor_map.h makes it.
template <class Cfg>
CUtensorMap operand_map(char operand, const bf16* elements) {
  CUtensorMap map = {};
  map.base = elements;
  map.cols = Cfg::K;
  map.rows = operand == 'A' ? Cfg::M : Cfg::N;
  map.row_bytes = Cfg::K * sizeof(bf16);
  map.box_cols = Cfg::BK;
  map.box_rows = operand == 'A' ? Cfg::BM : Cfg::BN;
  map.swizzle = Cfg::swizzle;
  map.operand = operand;
  return map;
}
