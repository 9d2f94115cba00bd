// A right kernel on a small problem, for tests that damage what it does and see the verification
// bite.
#pragma once

#include <functional>
#include <vector>

#include "../../host/verify/verify.h"

inline TilePosition row_by_row(int block) { return {block / 3, block % 3}; }

// 2 x 3 tiles of 64 x 64 with 2 x 2 warps; M, N and K all differ, and no tile divides M or N.
inline ConfigDescription small_config(int64_t K = 64) {
  ConfigDescription config = {};
  config.stage = "test";
  config.archs = {120};
  config.M = 120;
  config.N = 180;
  config.K = K;
  config.BM = config.BN = 64;
  config.BK = 32;
  config.warps_per_block_m = config.warps_per_block_n = 2;
  config.tile_of_block = row_by_row;
  return config;
}

// A right kernel, on which the tests play tricks.
inline void multiply(const ConfigDescription& config, Matrices& matrices) {
  std::vector<float> a_norms(config.M), b_norms(config.N);
  backend::compute_reference(matrices.product(), {matrices.C(), a_norms.data(), b_norms.data()});
}

using Trick = std::function<void(Matrices&)>;

// Verifies a right kernel whose launch ends with `trick`.
inline Verification verify_with(
    const Trick& trick,
    const Options& options = {},
    const ConfigDescription& config = small_config()) {
  Matrices matrices(config);
  Device device = {};
  device.backend = Backend::emulator;
  const auto launch = [&] {
    multiply(config, matrices);
    trick(matrices);
  };
  return verify(options, config, device, matrices, launch);
}

inline Options with_inputs(Inputs inputs) {
  Options options;
  options.inputs = inputs;
  return options;
}

constexpr Inputs all_inputs[] = {Inputs::integers, Inputs::uniform, Inputs::normal};
