#include "kernel_class.h"

#include <cctype>
#include <initializer_list>

namespace {

bool contains_any(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Hopper's and Blackwell's libraries name the architecture or the instruction; nvjet is cuBLAS's
// generator for both.
bool names_newer(const std::string& kernels) {
  return contains_any(
      kernels,
      {"sm90", "sm_90", "sm100", "sm103", "gmma", "tcgen05", "umma", "utcmma", "nvjet", "hopper"});
}

// The shape of the instruction stands in the name: m16n8k16, as 16816 or 16x8x16; or as the type by
// which CUTLASS 2.x calls it, for the 32 threads of a warp. (wgmma's types are of other names.)
bool names_mma_sync(const std::string& kernels) {
  return contains_any(
      kernels, {"s16816gemm", "16816", "tensor16x8x",
                "cutlass::arch::mma<cutlass::gemm::gemmshape<16, 8, 16>, 32, "});
}

}  // namespace

const char* name_of(Instruction instruction) {
  switch (instruction) {
    case Instruction::mma_sync: return "mma.sync";
    case Instruction::newer: return "wgmma or tcgen05";
    case Instruction::unknown: return "unknown";
  }
  return "";
}

Instruction instruction_of(const std::string& kernels, const std::string& arch) {
  if (kernels.empty()) return Instruction::unknown;
  if (arch == "sm_120" || arch == "sm_121") return Instruction::mma_sync;
  const std::string names = lower_case(kernels);
  if (names_newer(names)) return Instruction::newer;
  return names_mma_sync(names) ? Instruction::mma_sync : Instruction::unknown;
}
