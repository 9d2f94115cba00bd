#include "benchmark.h"

#include "../device/cublas_matmul.h"
#include "../device/nvml.h"
#include "../support/terminal.h"
#include "mma_peak.h"
#include "timing.h"

namespace {

constexpr int rounds = 5;  // stage and peers take turns, because a GPU at its power limit drifts

}  // namespace

std::optional<Benchmark> run_benchmark(
    const Device& device,
    Matrices& matrices,
    const std::function<void()>& launch) {
  const Product& product = matrices.product();
  const Nvml nvml(device.pci_bus_id);
  const Timer timer(nvml);
  const CublasMatmul cublas;
  const Buffer<bf16> bf16_C(product.M * product.N);
  const MmaPeak peak(product, device.sm_count);
  const MmaLoop loop = find_fastest_loop(peak, timer);

  Contestant stage(product.flops(), launch);
  Contestant fp32(product.flops(), [&] { cublas.run(product, matrices.C(), OutputType::fp32); });
  Contestant bf16(product.flops(), [&] { cublas.run(product, bf16_C.get(), OutputType::bf16); });
  Contestant mma(peak.flops(loop), [&] { peak.run(loop); });
  for (int round = 0; round < rounds; round++) {
    show_progress("benchmark round", round, rounds);
    for (Contestant* contestant : {&stage, &fp32, &bf16, &mma}) timer.time(*contestant);
  }

  return Benchmark{timing_of(stage), timing_of(fp32),      timing_of(bf16),     timing_of(mma),
                   loop.text(),      nvml.power_limit_w(), nvml.temperature_c()};
}
