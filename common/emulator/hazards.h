// The rules on who may touch shared memory when. They look at order only, never at what happened to
// land in time.
#pragma once

#include "core.h"
#include "shared_memory.h"

namespace emulator {

// Rule 1: `reader` is about to read 16 bytes.
void check_read(Core& core, SharedMemory& memory, uint32_t addr, int reader, CallSite at);

// Rules 2 and 3: the running thread issues this copy, and what is in its destination must have
// landed, been waited for, and been read.
void check_refill(Core& core, SharedMemory& memory, const Transfer& copy);

// Rule 3, when the block is over: no copy may still be in flight.
void check_all_awaited(Core& core, const SharedMemory& memory);

}  // namespace emulator
