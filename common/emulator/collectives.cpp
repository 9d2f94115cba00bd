// What the 32 lanes of a warp do together: __syncwarp(), elect.sync, shfl.sync, ldmatrix, mma.sync.
//
// Each lane comes with its operands and waits; the last one does the work for all. Anything but the
// same instruction from the same line is a divergence. Coming together is not memory order: only
// __syncwarp() joins the lanes' clocks (PTX ISA, bar.warp.sync), the others do not.
#include <algorithm>
#include <cstring>

#include "block.h"

namespace emulator {
namespace {

constexpr uint32_t all_lanes = 0xffffffffu;

bool same_place(CallSite a, CallSite b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace

const char* name_of(Op op) {
  switch (op) {
    case Op::ldmatrix_x1: return "ldmatrix.x1";
    case Op::ldmatrix_x2: return "ldmatrix.x2";
    case Op::ldmatrix_x4: return "ldmatrix.x4";
    case Op::mma: return "mma.sync";
    case Op::syncwarp: return "__syncwarp()";
    case Op::elect: return "elect.sync";
    case Op::shuffle: return "shfl.sync";
  }
  return "";
}

namespace {

float lower(uint32_t pair) {
  const uint32_t bits = pair << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float upper(uint32_t pair) {
  const uint32_t bits = pair & 0xffff0000u;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

// True for the last lane to come, which then executes; the others return when that is done.
bool Block::arrive_at_collective(Op op, CallSite at) {
  Thread& self = *running_;
  Warp& warp = warp_of(self);
  const uint32_t bit = 1u << (self.index % lanes_per_warp);
  self.op = op;
  if (warp.collective != 0) {
    const int first_lane = __builtin_ctz(warp.collective);
    const Thread& first =
        threads_[static_cast<size_t>(self.index / lanes_per_warp * lanes_per_warp + first_lane)];
    if (first.op != op || !same_place(first.at, at)) {
      report(HazardRule::divergence, at, first.at, [&] {
        return who(self.index) + " comes to " + name_of(op) + " at " + where(at) + " while " +
               who(first.index) + " waits in " + name_of(first.op) + " at " + where(first.at) +
               ".\n  Why: " + name_of(op) +
               " needs all 32 lanes of the warp at the same instruction.\n"
               "  Mend: take the call out of the condition, or let whole warps take it.";
      });
      stop_block();
    }
  }
  warp.collective |= bit;
  if (warp.collective == all_lanes) return true;
  block_here(Waiting::collective, at);
  return false;
}

void Block::complete_collective() {
  Warp& warp = warp_of(*running_);
  warp.collective = 0;
  warp.ready = all_lanes;
  const int first = running_->index / lanes_per_warp * lanes_per_warp;
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    threads_[static_cast<size_t>(first + lane)].waiting = Waiting::no;
  }
  may_switch();
}

void Block::syncwarp(uint32_t mask, CallSite at) {
  if (mask != all_lanes) {
    report(HazardRule::divergence, at, {}, [&] {
      return "__syncwarp() at " + where(at) +
             " with a mask: the emulator models it for all 32 lanes only.";
    });
    stop_block();
  }
  if (!arrive_at_collective(Op::syncwarp, at)) return;
  join_warp();
  complete_collective();
}

// A function of its own: a fiber may be left for good in any switch, and must own no memory then.
void Block::join_warp() {
  std::vector<int> members;
  const int first = running_->index / lanes_per_warp * lanes_per_warp;
  for (int lane = 0; lane < lanes_per_warp; lane++) members.push_back(first + lane);
  join_threads(members);
}

// PTX does not say which lane is elected, but that it is always the same one.
bool Block::elect(CallSite at) {
  Thread& self = *running_;
  if (arrive_at_collective(Op::elect, at)) complete_collective();
  return self.index % lanes_per_warp == elected_lane_;
}

int Block::shuffle(int value, int lane, CallSite at) {
  Thread& self = *running_;
  self.shuffled = value;
  self.from_lane = lane;
  if (arrive_at_collective(Op::shuffle, at)) {
    execute_shuffle();
    complete_collective();
  }
  return self.shuffled;
}

void Block::execute_shuffle() {
  Thread* lanes = &threads_[static_cast<size_t>(running_->index / lanes_per_warp * lanes_per_warp)];
  int values[lanes_per_warp];
  for (int lane = 0; lane < lanes_per_warp; lane++) values[lane] = lanes[lane].shuffled;
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    lanes[lane].shuffled = values[lanes[lane].from_lane & (lanes_per_warp - 1)];
  }
}

// --- ldmatrix
// -------------------------------------------------------------------------------------

void Block::ldmatrix(Op op, std::array<bf16x2*, 4> destinations, uint32_t row_addr, CallSite at) {
  running_->destinations = destinations;
  running_->row_addr = row_addr;
  running_->at = at;
  if (!arrive_at_collective(op, at)) return;
  execute_ldmatrix(op == Op::ldmatrix_x1 ? 1 : op == Op::ldmatrix_x2 ? 2 : 4);
  complete_collective();
}

void Block::execute_ldmatrix(int matrices) {
  Thread* lanes = &threads_[static_cast<size_t>(running_->index / lanes_per_warp * lanes_per_warp)];
  uint32_t row_addrs[lanes_per_warp] = {};
  for (int i = 0; i < 8 * matrices; i++) {
    row_addrs[i] = lanes[i].row_addr;
    check_read(row_addrs[i], running_->at, lanes[i]);
  }
  result_.counters.ldmatrix++;
  warp_of(*running_).loaded_k = std::max(warp_of(*running_).loaded_k, chunk(row_addrs[0]).col);
  trace_ldmatrix(chunk(row_addrs[0]));
  count_wavefronts(row_addrs, matrices);

  for (int matrix = 0; matrix < matrices; matrix++) {
    for (int row = 0; row < 8; row++) {
      const uint32_t addr = row_addrs[8 * matrix + row];
      const Chunk& from = chunk(addr);
      uint32_t pairs[4];
      std::memcpy(pairs, host(addr), sizeof pairs);
      for (int pair = 0; pair < 4; pair++) {
        bf16x2& to = *lanes[4 * row + pair].destinations[static_cast<size_t>(matrix)];
        to.bits = pairs[pair];
        to.operand = from.operand;
        to.row = from.row;
        to.col = from.col + 2 * pair;
      }
    }
  }
}

// The eight rows of a matrix are one pass over the banks, unless two of them need the same bank
// for different addresses.
void Block::count_wavefronts(const uint32_t* row_addrs, int matrices) {
  for (int matrix = 0; matrix < matrices; matrix++) {
    const uint32_t* rows = row_addrs + 8 * matrix;
    int passes[8] = {};  // per group of four banks, which 16 bytes fill
    int most = 1;
    for (int row = 0; row < 8; row++) {
      bool seen = false;
      for (int before = 0; before < row; before++) seen |= rows[before] == rows[row];
      if (!seen) most = std::max(most, ++passes[rows[row] / chunk_bytes % 8]);
    }
    result_.counters.ldmatrix_wavefronts += static_cast<uint64_t>(most);
    result_.counters.bank_conflicts += static_cast<uint64_t>(most - 1);
  }
}

// --- mma.sync.m16n8k16
// ----------------------------------------------------------------------------

void Block::mma(float* acc, const bf16x2* ra, const bf16x2* rb, CallSite at) {
  running_->acc = acc;
  running_->ra = ra;
  running_->rb = rb;
  running_->at = at;
  if (!arrive_at_collective(Op::mma, at)) return;
  check_mma_operands();
  execute_mma();
  complete_collective();
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point types": with group = lane / 4 and
// quad = lane % 4, A's registers hold rows group, group + 8 (0 and 2, 1 and 3) at k 2 * quad and
// 2 * quad + 8 (0 1 and 2 3); B's hold column group at k 2 * quad and 2 * quad + 8; C's hold row
// group (0 1) and group + 8 (2 3), columns 2 * quad and + 1.
void Block::execute_mma() {
  const Thread* lanes =
      &threads_[static_cast<size_t>(running_->index / lanes_per_warp * lanes_per_warp)];
  float a[16][16];
  float b[16][8];
  float c[16][8];
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    const int group = lane / 4;
    const int k = lane % 4 * 2;
    const Thread& thread = lanes[lane];
    for (int i = 0; i < 4; i++) {
      const int row = group + i % 2 * 8;
      const int col = k + i / 2 * 8;
      a[row][col] = lower(thread.ra[i].bits);
      a[row][col + 1] = upper(thread.ra[i].bits);
      c[group + i / 2 * 8][k + i % 2] = thread.acc[i];
    }
    for (int i = 0; i < 2; i++) {
      b[k + 8 * i][group] = lower(thread.rb[i].bits);
      b[k + 8 * i + 1][group] = upper(thread.rb[i].bits);
    }
  }
  for (int row = 0; row < 16; row++) {
    for (int k = 0; k < 16; k++) {
      for (int col = 0; col < 8; col++) c[row][col] += a[row][k] * b[k][col];
    }
  }
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    for (int i = 0; i < 4; i++) lanes[lane].acc[i] = c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
  }
  result_.counters.mma++;
  result_.counters.mma_bytes_in_flight += bytes_in_flight_;
  const int32_t k = lanes[0].ra[0].col;
  result_.counters.mma_steps_ahead +=
      static_cast<uint64_t>(std::max(0, warp_of(*running_).loaded_k / 16 - k / 16));
  trace("mma", nullptr, k);
}

// The fragments carry where their elements come from. They must be A and B, each a tile as the
// layout wants it, and of the same k, which must be the next one for these accumulators.
void Block::check_mma_operands() {
  const int first = running_->index / lanes_per_warp * lanes_per_warp;
  const Thread* lanes = &threads_[static_cast<size_t>(first)];
  const CallSite at = running_->at;
  const int32_t a_row = lanes[0].ra[0].row;
  const int32_t b_row = lanes[0].rb[0].row;
  const int32_t k = lanes[0].ra[0].col;

  auto mismatch = [&](int lane, char operand, int reg, const bf16x2& got, int row, int col) {
    report(HazardRule::fragments, at, {}, [&] {
      const std::string register_name =
          std::string(operand == 'A' ? "ra[" : "rb[") + std::to_string(reg) + "]";
      std::string text = "mma.sync at " + where(at) + " by " + who(first + lane) + ": " +
                         register_name + " should hold " + operand + "[" + std::to_string(row) +
                         "][" + std::to_string(col) + "], ";
      text += got.operand == 0 ? "but no ldmatrix of a landed tile wrote it"
                               : std::string("but holds ") + got.operand + "[" +
                                     std::to_string(got.row) + "][" + std::to_string(got.col) + "]";
      return text +
             ".\n  Why: all lanes' registers must be parts of one 16x16 tile of A and one 16x8 "
             "tile "
             "of B of the same k.\n"
             "  Mend: check the addresses of ldmatrix (the swizzle must be the tensor map's) and "
             "which register stage it fills.";
    });
  };
  for (int lane = 0; lane < lanes_per_warp; lane++) {
    const int group = lane / 4;
    const int quad_k = k + lane % 4 * 2;
    for (int i = 0; i < 4; i++) {
      const bf16x2& got = lanes[lane].ra[i];
      const int row = a_row + group + i % 2 * 8;
      const int col = quad_k + i / 2 * 8;
      if (got.operand != 'A' || got.row != row || got.col != col) {
        return mismatch(lane, 'A', i, got, row, col);
      }
    }
    for (int i = 0; i < 2; i++) {
      const bf16x2& got = lanes[lane].rb[i];
      const int row = b_row + group;
      const int col = quad_k + 8 * i;
      if (got.operand != 'B' || got.row != row || got.col != col) {
        return mismatch(lane, 'B', i, got, row, col);
      }
    }
  }

  auto& last_k = warp_of(*running_).last_k;
  const auto [entry, is_new] = last_k.try_emplace(lanes[0].acc, k - 16);
  const int32_t due = is_new ? 0 : entry->second + 16;
  entry->second = k;
  if (k == due) return;
  report(HazardRule::fragments, at, {}, [&] {
    return "mma.sync at " + where(at) + " by " + who(first) +
           ": the fragments hold k = " + std::to_string(k) + " to " + std::to_string(k + 15) +
           ", but the next k of these accumulators is " + std::to_string(due) +
           ".\n  Why: each k-step must be multiplied exactly once; this one comes twice, or "
           "another "
           "is left out.\n"
           "  Mend: check which register stage ldmatrix fills and which one mma reads.";
  });
}

}  // namespace emulator
