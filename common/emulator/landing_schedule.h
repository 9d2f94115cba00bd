// When a TMA transfer's bytes land, and in which order threads run: the values of --schedule.
#pragma once

namespace emulator {

enum class LandingSchedule {
  eager,   // bytes land when the copy is issued; warps in turn
  lazy,    // bytes land when nothing else can run; warps in turn
  random,  // warps, lanes and landings in an order that the seed determines
};

}  // namespace emulator
