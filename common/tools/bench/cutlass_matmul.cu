#include "../../host/support/text.h"
#include "launched_kernels.h"
#include "peers.h"

std::optional<Peer> find_best_cutlass(const Product& product, float* C, const Timer& timer) {
  std::vector<CutlassKernel::Launch> launches;
  std::vector<std::string> texts;
  std::vector<Contestant> contestants;
  for (const CutlassKernel& kernel : cutlass_kernels()) {
    const std::optional<CutlassKernel::Launch> launch = kernel.make_launch(product, C);
    if (!launch) continue;
    launches.push_back(*launch);
    texts.push_back(kernel.text);
    contestants.emplace_back(product.flops(), [launch] { (*launch)(nullptr); });
  }
  if (contestants.empty()) return std::nullopt;
  const size_t fastest = find_fastest(contestants, 2, timer, "CUTLASS kernels");
  return Peer{
      contestants[fastest].run, launched_kernels(launches[fastest]),
      format("%s; best of %zu", texts[fastest].c_str(), launches.size())};
}
