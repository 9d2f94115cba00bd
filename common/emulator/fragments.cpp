#include "fragments.h"

#include <algorithm>
#include <cstring>

#include "hazards.h"

namespace emulator {
namespace {

// The two bf16 of a register as floats, `step` apart.
void unpack(uint32_t pair, float* to, int step) {
  const uint32_t bits[2] = {pair << 16, pair & 0xffff0000u};
  std::memcpy(to, &bits[0], sizeof *to);
  std::memcpy(to + step, &bits[1], sizeof *to);
}

}  // namespace

Fragments::Fragments(Core& core, SharedMemory& memory, const Tma& tma, Collectives& collectives)
    : core_(core),
      memory_(memory),
      tma_(tma),
      collectives_(collectives),
      loads_(core.scheduler.threads()),
      products_(core.scheduler.threads()),
      progress_(core.scheduler.threads() / lanes_per_warp) {}

void Fragments::reset() {
  for (Progress& progress : progress_) progress = {};
}

// --- ldmatrix

void Fragments::ldmatrix(
    Op op,
    std::array<bf16x2*, 4> destinations,
    uint32_t row_addr,
    CallSite at) {
  loads_[core_.self()] = {destinations, row_addr};
  if (!collectives_.arrive(op, at)) return;
  load_matrices(op == Op::ldmatrix_x1 ? 1 : op == Op::ldmatrix_x2 ? 2 : 4, at);
  collectives_.complete();
}

void Fragments::load_matrices(int matrices, CallSite at) {
  const Load* const lanes = &loads_[first_lane()];
  uint32_t row_addrs[lanes_per_warp] = {};
  for (int i = 0; i < 8 * matrices; i++) {
    row_addrs[i] = lanes[i].row_addr;
    check_read(core_, memory_, row_addrs[i], first_lane() + i, at);
  }
  const int32_t k = memory_.chunk(row_addrs[0]).col;
  progress_[core_.warp()].loaded = std::max(progress_[core_.warp()].loaded, k);
  core_.counters.ldmatrix++;
  core_.trace.note(core_.self(), "ldmatrix", memory_.writer(row_addrs[0]), k);
  count_wavefronts(row_addrs, matrices);

  for (int matrix = 0; matrix < matrices; matrix++) {
    for (int row = 0; row < 8; row++) {
      const uint32_t addr = row_addrs[8 * matrix + row];
      const Chunk& from = memory_.chunk(addr);
      uint32_t pairs[4];
      std::memcpy(pairs, memory_.at(addr), sizeof pairs);
      for (int pair = 0; pair < 4; pair++) {
        bf16x2& to = *lanes[4 * row + pair].destinations[matrix];
        to = {pairs[pair], from.operand, from.row, from.col + 2 * pair};
      }
    }
  }
}

// The eight rows of a matrix are one pass over the banks, unless two of them need the same bank
// for different addresses.
void Fragments::count_wavefronts(const uint32_t* row_addrs, int matrices) {
  for (int matrix = 0; matrix < matrices; matrix++) {
    const uint32_t* rows = row_addrs + 8 * matrix;
    int passes[8] = {};  // per group of four banks, which 16 bytes fill
    int most = 1;
    for (int row = 0; row < 8; row++) {
      const bool seen = std::find(rows, rows + row, rows[row]) != rows + row;
      if (!seen) most = std::max(most, ++passes[rows[row] / chunk_bytes % 8]);
    }
    core_.counters.ldmatrix_wavefronts += most;
    core_.counters.bank_conflicts += most - 1;
  }
}

// --- mma.sync.m16n8k16

void Fragments::mma(float* acc, const bf16x2* ra, const bf16x2* rb, CallSite at) {
  products_[core_.self()] = {acc, ra, rb};
  if (!collectives_.arrive(Op::mma, at)) return;
  const Product* const lanes = &products_[first_lane()];
  check_operands(lanes, at);
  multiply(lanes);
  count_mma(lanes[0].ra[0].col);
  collectives_.complete();
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point types": with group = lane / 4 and
// quad = lane % 4, A's registers hold rows group, group + 8 (0 and 2, 1 and 3) at k 2 * quad and
// 2 * quad + 8 (0 1 and 2 3); B's hold column group at k 2 * quad and 2 * quad + 8; C's hold row
// group (0 1) and group + 8 (2 3), columns 2 * quad and + 1.
void Fragments::multiply(const Product* lanes) {
  float a[16][16];
  float b[16][8];
  float c[16][8];
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    const auto& [acc, ra, rb] = lanes[lane];
    const int group = lane / 4;
    const int k = lane % 4 * 2;
    unpack(ra[0].bits, &a[group][k], 1);
    unpack(ra[1].bits, &a[group + 8][k], 1);
    unpack(ra[2].bits, &a[group][k + 8], 1);
    unpack(ra[3].bits, &a[group + 8][k + 8], 1);
    unpack(rb[0].bits, &b[k][group], 8);
    unpack(rb[1].bits, &b[k + 8][group], 8);
    std::copy(acc, acc + 2, &c[group][k]);
    std::copy(acc + 2, acc + 4, &c[group + 8][k]);
  }
  for (int row = 0; row < 16; row++) {
    for (int k = 0; k < 16; k++) {
      for (int col = 0; col < 8; col++) c[row][col] += a[row][k] * b[k][col];
    }
  }
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    const int group = lane / 4;
    const int col = lane % 4 * 2;
    std::copy(&c[group][col], &c[group][col] + 2, lanes[lane].acc);
    std::copy(&c[group + 8][col], &c[group + 8][col] + 2, lanes[lane].acc + 2);
  }
}

void Fragments::count_mma(int32_t k) {
  core_.counters.mma++;
  core_.counters.mma_bytes_in_flight += tma_.bytes_in_flight();
  core_.counters.mma_steps_ahead += std::max(0, progress_[core_.warp()].loaded / 16 - k / 16);
  core_.trace.note(core_.self(), "mma", nullptr, k);
}

// The registers must be parts of one tile of A and one of B, of the same k, as the layout wants
// them. The first one that is not is reported.
void Fragments::check_operands(const Product* lanes, CallSite at) {
  const bf16x2 a = lanes[0].ra[0];
  const bf16x2 b = lanes[0].rb[0];
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    const int group = lane / 4;
    const int k = a.col + lane % 4 * 2;
    for (int i = 0; i < 4; i++) {
      const bf16x2& got = lanes[lane].ra[i];
      const int row = a.row + group + i % 2 * 8, col = k + i / 2 * 8;
      if (got.operand == 'A' && got.row == row && got.col == col) continue;
      return report_operand(lane, i, got, {0, 'A', row, col}, at);
    }
    for (int i = 0; i < 2; i++) {
      const bf16x2& got = lanes[lane].rb[i];
      const int row = b.row + group, col = k + 8 * i;
      if (got.operand == 'B' && got.row == row && got.col == col) continue;
      return report_operand(lane, i, got, {0, 'B', row, col}, at);
    }
  }
  check_k_step(lanes[0], at);
}

void Fragments::report_operand(int lane, int index, bf16x2 got, bf16x2 due, CallSite at) {
  const std::string instead = got.operand == 0
                                  ? say(messages::holds_nothing)
                                  : say(messages::holds, got.operand, got.row, got.col);
  core_.reports.add(
      messages::wrong_fragment, at, {}, at, core_.who(first_lane() + lane),
      due.operand == 'A' ? 'a' : 'b', index, due.operand, due.row, due.col, instead);
}

// Their k must be the next one for these accumulators.
void Fragments::check_k_step(const Product& first, CallSite at) {
  const int32_t k = first.ra[0].col;
  const auto [entry, is_new] = progress_[core_.warp()].multiplied.try_emplace(first.acc, k);
  const int32_t due = is_new ? 0 : entry->second + 16;
  entry->second = k;
  if (k == due) return;
  core_.reports.add(messages::wrong_k_step, at, {}, at, core_.who(first_lane()), k, k + 15, due);
}

}  // namespace emulator
