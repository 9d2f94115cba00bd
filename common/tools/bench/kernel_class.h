// Which tensor-core instruction does a library's kernel use? Its name tells.
#pragma once

#include <string>

// What a kernel multiplies with.
enum class Instruction {
  mma_sync,  // mma.sync: every GPU since Ampere, and all that sm_120 has
  newer,     // wgmma (Hopper) or tcgen05 (data-centre Blackwell)
  unknown    // the name says neither, or there is no name: nothing may be claimed
};

const char* name_of(Instruction instruction);  // "mma.sync"

// The instruction of `kernels`, the name of a kernel or several joined by " + " (a product split
// along K has a second kernel, for the sum). `arch` is the GPU's, as "sm_90": where it has no other
// tensor-core instruction than mma.sync, the name is not asked, but must be known.
Instruction instruction_of(const std::string& kernels, const std::string& arch);
