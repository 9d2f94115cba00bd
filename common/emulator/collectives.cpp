#include "collectives.h"

#include <algorithm>
#include <numeric>
namespace emulator {

const char* name_of(Op op) {
  static const char* const names[] = {"ldmatrix.x1",  "ldmatrix.x2", "ldmatrix.x4", "mma.sync",
                                      "__syncwarp()", "elect.sync",  "shfl.sync"};
  return names[static_cast<int>(op)];
}

Collectives::Collectives(Core& core)
    : core_(core),
      arrived_(core.scheduler.threads() / lanes_per_warp),
      lanes_(core.scheduler.threads()) {}

// PTX does not say which lane is elected, but that it is always the same one.
void Collectives::reset(const LaunchOptions& options) {
  std::fill(arrived_.begin(), arrived_.end(), 0u);
  switch (options.schedule) {
    case LandingSchedule::eager: elected_lane_ = 0; break;
    case LandingSchedule::lazy: elected_lane_ = lanes_per_warp - 1; break;
    case LandingSchedule::random: elected_lane_ = options.seed % lanes_per_warp; break;
  }
}

int Collectives::first_to_come(int warp) const {
  return warp * lanes_per_warp + __builtin_ctz(arrived_[warp]);
}

bool Collectives::arrive(Op op, CallSite at) {
  const int self = core_.self(), warp = core_.warp();
  lanes_[self].op = op;
  if (is_meeting(warp)) {
    const int first = first_to_come(warp);
    const CallSite there = core_.scheduler.at(first);
    if (op_of(first) != op || !same_place(there, at)) {
      core_.fail(
          messages::divergence, at, there, core_.who(), name_of(op), at, core_.who(first),
          name_of(op_of(first)), there, name_of(op));
    }
  }
  arrived_[warp] |= 1u << self % lanes_per_warp;
  if (arrived_[warp] == all_lanes) return true;
  core_.scheduler.wait_here(Waiting::collective, at);
  return false;
}

void Collectives::complete() {
  arrived_[core_.warp()] = 0;
  core_.scheduler.wake_warp(core_.warp());
  core_.scheduler.may_switch();
}

void Collectives::check_exit() {
  if (!is_meeting(core_.warp())) return;
  const CallSite at = core_.scheduler.at(first_to_come(core_.warp()));
  core_.fail(messages::exit_in_collective, at, {}, core_.who(), at);
}

void Collectives::syncwarp(uint32_t mask, CallSite at) {
  if (mask != all_lanes) {
    core_.fail(messages::partial_syncwarp, at, {}, at);
  }
  if (!arrive(Op::syncwarp, at)) return;
  std::vector<int> members(lanes_per_warp);
  std::iota(members.begin(), members.end(), core_.warp() * lanes_per_warp);
  core_.order.meet(members);
  complete();
}

bool Collectives::elect(CallSite at) {
  const int self = core_.self();
  if (arrive(Op::elect, at)) complete();
  return self % lanes_per_warp == elected_lane_;
}

int Collectives::shuffle(int value, int lane, CallSite at) {
  const int self = core_.self();
  lanes_[self].shuffled = value;
  lanes_[self].from_lane = lane;
  if (arrive(Op::shuffle, at)) {
    Lane* const lanes = &lanes_[core_.warp() * lanes_per_warp];
    int values[lanes_per_warp];
    for (int i = 0; i < lanes_per_warp; i++) values[i] = lanes[i].shuffled;
    for (int i = 0; i < lanes_per_warp; i++) {
      lanes[i].shuffled = values[lanes[i].from_lane & (lanes_per_warp - 1)];
    }
    complete();
  }
  return lanes_[self].shuffled;
}

}  // namespace emulator
