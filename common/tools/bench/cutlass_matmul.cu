#include "cutlass_matmul.h"

#include "../../host/device/cuda_check.h"
#include "launched_kernels.h"

std::optional<CutlassChoice> find_best_cutlass(
    const Product& product,
    float* C,
    const Timer& timer) {
  std::vector<CutlassChoice> choices;
  std::vector<Contestant> contestants;
  for (const CutlassKernel& kernel : cutlass_kernels()) {
    const std::optional<CutlassKernel::Launch> launch = kernel.make_launch(product, C);
    if (!launch) continue;
    choices.push_back({*launch, "", kernel.text, 0});
    contestants.emplace_back(product.flops(), [launch] { (*launch)(nullptr); });
  }
  if (choices.empty()) return std::nullopt;
  CutlassChoice& fastest = choices[find_fastest(contestants, 2, timer, "CUTLASS kernels")];
  fastest.kernel = launched_kernels(fastest.launch);
  fastest.tried = choices.size();
  return fastest;
}
