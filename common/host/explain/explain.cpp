#include "explain.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../smem_swizzle.h"

namespace {

// Of the SM, on every card here.
constexpr int schedulers = 4;              // each with its own tensor core
constexpr double bank_bytes = 128;         // shared memory, per clock: a wavefront
constexpr double store_sector_bytes = 32;  // C leaves an SM by 32-byte sectors, one a clock

// Clocks, as `make latencies` measures them.
constexpr double tma_order = 9;          // a thread's time for expect_tx and two copies
constexpr double tma_latency = 330;      // from the order to the first bytes, from the L2
constexpr double ldmatrix_latency = 35;  // from the address to the fragments
constexpr double mbarrier_wait = 45;     // for a phase that is over
constexpr double cta_barrier = 21;
constexpr double proxy_fence = 11;

double ceil_div(double a, double b) { return std::ceil(a / b); }

uint32_t swizzled(uint32_t offset, int swizzle) {
  switch (swizzle) {
    case 32: return swizzle_offset<32>(offset);
    case 64: return swizzle_offset<64>(offset);
    case 128: return swizzle_offset<128>(offset);
    default: return offset;
  }
}

// SM clocks for which the busiest of an SM's tensor cores works on one k-tile of `blocks` blocks,
// divided by their number.
double tensor_cycles(const ConfigValues& v, const Card& card, int blocks) {
  const double consumers = static_cast<double>(v.consumer_warps());
  const double flops_of_warp = 2.0 * v.BM * v.BN * v.BK / consumers;
  const double warp = flops_of_warp / (card.mma_flops_per_clk / schedulers);
  return ceil_div(consumers * blocks, schedulers) * warp / blocks;
}

PipeCycles pipe_cycles(
    const ConfigValues& v,
    const Card& card,
    int blocks,
    const TileWork& work,
    double dram_bytes,
    double clock_mhz) {
  PipeCycles cycles;
  cycles.tensor = tensor_cycles(v, card, blocks);
  cycles.shared_memory = work.read_wavefronts + work.write_wavefronts;
  cycles.l2 = work.l2_bytes / card.l2_port_bytes_per_clk;
  if (card.l2_bytes_per_clk > 0) {
    cycles.l2 = std::max(cycles.l2, work.l2_bytes * card.sm_count / card.l2_bytes_per_clk);
  }
  const double dram_bytes_per_clk = card.dram_bytes_per_s / (clock_mhz * 1e6);
  cycles.dram = dram_bytes_per_clk > 0 ? dram_bytes * card.sm_count / dram_bytes_per_clk : 0;
  return cycles;
}

AloneCycles alone_cycles(const ConfigValues& v, const Card& card, const TileWork& work) {
  const double k_steps = static_cast<double>(v.BK) / 16;
  const double tiles = static_cast<double>(v.k_tiles());
  const double consumers = static_cast<double>(v.consumer_warps());
  const double mma = tensor_cycles(v, card, 1);
  const double warp_mma = mma / ceil_div(consumers, schedulers);
  const bool has_roles = v.producer_warps > 0;

  AloneCycles alone;
  alone.load = tma_latency + work.l2_bytes / card.l2_port_bytes_per_clk;

  // The k-steps of a tile are a pipeline of two: ldmatrix, then mma. Between two tiles a warp waits
  // for barriers and issues nothing. Then the first loads are on their way, and meanwhile the
  // fragments of wk_stages - 1 k-steps that are in registers are multiplied.
  const double first_loads = ldmatrix_latency + work.read_wavefronts / k_steps;
  const double barriers = proxy_fence + mbarrier_wait + (has_roles ? 0 : cta_barrier + tma_order);
  const double ahead = static_cast<double>(v.wk_stages - 1) * mma / k_steps;
  const double exposed = barriers + std::max(0.0, first_loads - ahead);
  // Warps with a scheduler in common fill each other's gaps, unless a CTA barrier makes them wait
  // at the same time.
  const double multiply = has_roles ? std::max(mma, warp_mma + exposed) : mma + exposed;
  alone.compute = std::max(multiply, barriers + work.read_wavefronts + mma / k_steps);

  // A buffer is loaded, multiplied and only then loaded again; bk_stages of them take turns.
  const double buffer_turn = (alone.load + alone.compute) / static_cast<double>(v.bk_stages);
  const double store = static_cast<double>(v.BM * v.BN) * sizeof(float) / store_sector_bytes;
  alone.held_by_load = buffer_turn > alone.compute;
  alone.per_tile = std::max(alone.compute, buffer_turn) + (alone.load + store) / tiles;
  return alone;
}

std::string bound_text(const Prediction& p) {
  constexpr double nearly = 0.9;
  if (p.pipes.most() >= nearly * p.tile_cycles) return p.pipes.busiest();
  return p.alone.held_by_load ? "TMA latency" : "ldmatrix wait";
}

}  // namespace

double PipeCycles::most() const { return std::max({tensor, shared_memory, l2, dram}); }

const char* PipeCycles::busiest() const {
  if (tensor >= most()) return "tensor cores";
  if (shared_memory >= most()) return "shared memory";
  return l2 >= most() ? "L2" : "DRAM";
}

// The rows of a matrix are `row_bytes` apart; each brings 16 bytes, which fill one of the 8 groups
// of four banks.
int wavefronts_per_matrix(int row_bytes, int swizzle) {
  int passes[8] = {};
  int most = 1;
  for (int row = 0; row < 8; row++) {
    const uint32_t addr = swizzled(static_cast<uint32_t>(row * row_bytes), swizzle);
    most = std::max(most, ++passes[addr / 16 % 8]);
  }
  return most;
}

TileWork tile_work(const ConfigValues& v) {
  const double k_steps = static_cast<double>(v.BK) / 16;
  const double consumers = static_cast<double>(v.consumer_warps());
  const double WM = static_cast<double>(v.WM());
  const double WN = static_cast<double>(v.WN());
  TileWork work;
  work.mma = consumers * k_steps * (WM / 16) * (WN / 8);
  work.ldmatrix = consumers * k_steps * (WM / 16 + WN / 16);
  const int per_matrix =
      wavefronts_per_matrix(static_cast<int>(2 * v.BK), static_cast<int>(v.swizzle));
  work.read_wavefronts = work.ldmatrix * 4 * per_matrix;
  work.l2_bytes = static_cast<double>(v.As_bytes() + v.Bs_bytes());
  work.write_wavefronts = work.l2_bytes / bank_bytes;
  return work;
}

WaveFootprint wave_footprint(const KernelModel& kernel, int64_t blocks_per_wave) {
  const ConfigValues& v = kernel.values;
  WaveFootprint footprint = {0, 0};
  // The wave that last touched a row (column) of tiles.
  std::vector<int64_t> row_wave(static_cast<size_t>(v.GM()), -1);
  std::vector<int64_t> col_wave(static_cast<size_t>(v.GN()), -1);
  for (int64_t block = 0; block < v.blocks(); block++) {
    const int64_t wave = block / blocks_per_wave;
    const TilePosition tile = kernel.tile_of_block(static_cast<int>(block));
    if (row_wave[tile.m] != wave) footprint.rows += std::min<int64_t>(v.BM, v.M - tile.m * v.BM);
    if (col_wave[tile.n] != wave) footprint.cols += std::min<int64_t>(v.BN, v.N - tile.n * v.BN);
    row_wave[tile.m] = wave;
    col_wave[tile.n] = wave;
  }
  return footprint;
}

// A block alternates between the busiest pipe and all that it waits for; `blocks` of them share the
// pipe. Mean value analysis of a closed queue: who comes finds, on average, the queue that the
// others would have among themselves.
double cycles_with_company(int blocks, double busy_cycles, double alone_cycles) {
  const double elsewhere = std::max(0.0, alone_cycles - busy_cycles);
  double queue = 0;
  double cycle = alone_cycles;
  for (int n = 1; n <= blocks; n++) {
    const double at_pipe = busy_cycles * (1 + queue);
    cycle = elsewhere + at_pipe;
    queue = n * at_pipe / cycle;
  }
  return cycle / blocks;
}

int estimated_registers(const ConfigValues& v) {
  const long long WM = v.WM();
  const long long WN = v.WN();
  // With one set of fragments in the source, nvcc still loads the next k-step's early.
  const long long sets = std::max(v.wk_stages, std::min(2LL, v.BK / 16));
  constexpr long long addresses = 20;
  const long long wanted = WM * WN / 32 + sets * (WM + WN) / 4 + addresses;
  return static_cast<int>(std::min({wanted, 255LL, v.registers_available()}));
}

Prediction predict(const KernelModel& kernel, const Card& card, double clock_mhz) {
  const ConfigValues& v = kernel.values;
  const ArchLimits limits = limits_of(card.arch);
  Prediction p = {};
  p.violation = v.first_violation(limits);
  if (p.violation.rule != ConfigRule::none) return p;

  p.sm = occupancy(limits, static_cast<int>(v.warps()), kernel.registers, v.smem_bytes);
  if (p.sm.blocks < 1) {
    p.violation = {ConfigRule::registers_sm, "registers of a thread",
                   kernel.registers,         Relation::at_most,
                   v.registers_available(),  "an SM has 65536: raise warps_per_block_m or _n"};
    return p;
  }

  // What every block of a wave reads of A and B comes from DRAM once; so does everything, if the L2
  // holds both.
  const double tiles = static_cast<double>(v.k_tiles());
  const double blocks = static_cast<double>(v.blocks());
  const double at_once = static_cast<double>(p.sm.blocks) * card.sm_count;
  const WaveFootprint footprint = wave_footprint(kernel, static_cast<int64_t>(at_once));
  const double inputs = 2.0 * v.K * static_cast<double>(v.M + v.N);
  const double fetched = 2.0 * v.K * static_cast<double>(footprint.rows + footprint.cols);
  const double output = 4.0 * v.M * v.N;
  p.dram_bytes = ((inputs <= card.l2_bytes ? inputs : fetched) + output) / (blocks * tiles);

  p.work = tile_work(v);
  p.alone = alone_cycles(v, card, p.work);
  const auto cycles_of = [&](int company) {
    const PipeCycles pipes = pipe_cycles(v, card, company, p.work, p.dram_bytes, clock_mhz);
    return cycles_with_company(company, pipes.most(), p.alone.per_tile);
  };
  p.pipes = pipe_cycles(v, card, p.sm.blocks, p.work, p.dram_bytes, clock_mhz);
  p.tile_cycles = cycles_of(p.sm.blocks);
  p.bound = bound_text(p);

  // Whole waves, and then a rest that spreads over the SMs.
  p.waves = blocks / at_once;
  const double whole_waves = std::floor(p.waves);
  const int rest = static_cast<int>(ceil_div(blocks - whole_waves * at_once, card.sm_count));
  double turns = whole_waves * p.sm.blocks * p.tile_cycles;
  if (rest > 0) turns += rest * cycles_of(rest);
  const double cycles = turns * tiles;
  p.tail = blocks / card.sm_count * p.tile_cycles / turns;

  const double flops = 2.0 * v.M * v.N * v.K;
  p.milliseconds = cycles / (clock_mhz * 1e3);
  p.tflops = flops / (p.milliseconds * 1e-3) * 1e-12;
  p.tensor_share =
      blocks * tiles * 2.0 * v.BM * v.BN * v.BK / (card.mma_flops_per_clk * card.sm_count * cycles);
  return p;
}
