// What a config should reach on a card, worked out from what it asks of each pipe of the GPU. The
// model knows no stage: all that counts is in the config's numbers and in the order of the blocks.
// docs/explain.md derives every term, in the order of this file.
#pragma once

#include <functional>
#include <string>

#include "../../config_checks.h"
#include "../config/config_values.h"
#include "../device/device.h"
#include "../measure/benchmark.h"
#include "cards.h"

struct KernelModel {
  ConfigValues values;                             // legal; smem_bytes known
  int registers = 0;                               // per thread
  std::function<TilePosition(int)> tile_of_block;  // the order of the blocks
};

// Work of one k-tile of one block. Wavefronts are passes over the 32 banks of shared memory.
struct TileWork {
  double mma;               // warp instructions
  double ldmatrix;          // warp instructions, x4
  double read_wavefronts;   // of ldmatrix
  double write_wavefronts;  // of TMA
  double l2_bytes;          // A and B
};

// Rows and columns of C that the blocks of a wave cover, in elements, added up over all waves: what
// their tiles of A and B have to be fetched for, once each.
struct WaveFootprint {
  int64_t rows;
  int64_t cols;
};

// SM clocks for which one k-tile of one block keeps a pipe of its SM busy.
struct PipeCycles {
  double tensor, shared_memory, l2, dram;

  double most() const;
  const char* busiest() const;  // "tensor cores", ...
};

// SM clocks per k-tile of a block that has its SM to itself.
struct AloneCycles {
  double load;      // TMA: from the order to the last byte
  double compute;   // ldmatrix and mma of the tile, and the wait for barriers
  double per_tile;  // both, overlapped as far as bk_stages allows, with a share of start and store
  bool held_by_load;
};

struct Prediction {
  Violation violation;  // if rule is not none, the card cannot run the config, and the rest is 0
  TileWork work;
  double dram_bytes;  // per k-tile of a block, its share
  PipeCycles pipes;
  AloneCycles alone;
  Occupancy sm;        // blocks and warps that share an SM
  double waves;        // blocks / (blocks that run at once)
  double tail;         // share of the time in which all SMs have work
  double tile_cycles;  // SM clocks per k-tile, all blocks of the SM together
  double milliseconds;
  double tflops;
  double tensor_share;  // of all clocks of all SMs, with a tensor core at work
  std::string bound;    // what holds it, in words
};

// At an SM clock of `clock_mhz`.
Prediction predict(const KernelModel& kernel, const Card& card, double clock_mhz);

// The parts of the model.
TileWork tile_work(const ConfigValues& values);
int wavefronts_per_matrix(int row_bytes, int swizzle);  // of an 8x8 matrix: 1 (best) to 8
WaveFootprint wave_footprint(const KernelModel& kernel, int64_t blocks_per_wave);
double cycles_with_company(int blocks, double busy_cycles, double alone_cycles);

// Registers that nvcc will probably use.
int estimated_registers(const ConfigValues& values);

// The table that --explain prints, of the built-in cards. `device` is the one at hand, of which the
// registers are known; nullptr if there is none.
std::string explain_text(const ConfigDescription& config, const Device* device);

// The measured figure beside the one that is predicted for the measured clock. A GPU that is not
// built in is taken to have the speed of mma.sync that was measured, and any memory it needs.
std::string explain_measured_text(
    const ConfigDescription& config,
    const Device& device,
    const Benchmark& measured);
