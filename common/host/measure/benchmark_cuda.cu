#include "benchmark.h"

#include "../device/cublas_matmul.h"
#include "../device/nvml.h"
#include "../support/statistics.h"
#include "mma_peak.h"
#include "timing.h"

namespace {

constexpr int rounds = 5;  // stage and peers take turns, because a GPU at its power limit drifts

}  // namespace

std::optional<Benchmark> run_benchmark(
    const Device& device,
    Matrices& matrices,
    const std::function<void()>& launch,
    const Progress& progress) {
  const Product& product = matrices.product();
  const Nvml nvml(device.pci_bus_id);
  const Timer timer(nvml);
  const CublasMatmul cublas;
  const Buffer<bf16> bf16_C(product.M * product.N);
  const MmaPeak peak(product, device.sm_count);
  const MmaLoop loop = find_fastest_loop(peak, timer, progress);

  Contestant stage(product.flops(), launch);
  Contestant fp32(product.flops(), [&] { cublas.run(product, matrices.C(), OutputType::fp32); });
  Contestant bf16(product.flops(), [&] { cublas.run(product, bf16_C.get(), OutputType::bf16); });
  Contestant mma(peak.flops(loop), [&] { peak.run(loop); });
  for (int round = 0; round < rounds; round++) {
    progress("benchmark round", round, rounds);
    for (Contestant* contestant : {&stage, &fp32, &bf16, &mma}) timer.time(*contestant);
  }

  Benchmark result;
  result.stage = speed_of(stage);
  result.stage_ms = median(stage.milliseconds);
  result.cublas = speed_of(fp32).median;
  result.cublas_bf16out = speed_of(bf16).median;
  result.mma_peak = speed_of(mma).median;
  result.mma_peak_shape = loop.text();
  result.clock_mhz = median_if_any(stage.readings.clock_mhz);
  result.mma_peak_clock_mhz = median_if_any(mma.readings.clock_mhz);
  result.power_w = median_if_any(stage.readings.power_w);
  result.power_limit_w = nvml.power_limit_w();
  result.temperature_c = nvml.temperature_c();
  result.rounds = rounds;
  result.runs = static_cast<int>(stage.milliseconds.size());
  return result;
}
