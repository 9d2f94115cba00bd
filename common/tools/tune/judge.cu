#include "judge.h"

#include "../../host/device/cuda_check.h"
#include "../../host/measure/timing.h"
#include "../../host/support/statistics.h"

LoadedKernel::LoadedKernel(const Compiled& compiled, Device& device, const Matrices& matrices) {
  CUDA_CHECK(cudaLibraryLoadFromFile(
      &library_, compiled.cubin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  CUDA_CHECK(cudaLibraryEnumerateKernels(&kernel, 1, library_));
  const void* const function = reinterpret_cast<const void*>(kernel);
  launch_ = matmul_launch(function, compiled.candidate.values, device, matrices);
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) cudaLibraryUnload(library_);
}

Judge::Judge(const ConfigDescription& config, const Device& device)
    : device_(device),
      exact_(config),
      random_(config),
      expected_(config, Inputs::integers),
      flushed_(l2_flush_bytes) {
  expected_.prepare(exact_, 1);
  random_.fill_inputs(input_rule(Inputs::uniform, 1, config.K));
}

std::unique_ptr<LoadedKernel> Judge::load(const Compiled& compiled) {
  return std::unique_ptr<LoadedKernel>(new LoadedKernel(compiled, device_, random_));
}

std::string Judge::find_fault(const Compiled& compiled) {
  exact_.poison_output();
  try {
    const LoadedKernel kernel(compiled, device_, exact_);
    kernel.launch();
    backend::synchronize();
  } catch (const Refusal& refusal) {
    // After a fault of a kernel, no call succeeds any more.
    if (cudaDeviceSynchronize() != cudaSuccess) throw;
    cudaGetLastError();
    return refusal.what();
  }
  return expected_.check(exact_, nullptr).fault;
}

std::vector<double> Judge::time(
    const std::vector<std::unique_ptr<LoadedKernel>>& kernels,
    int rounds,
    int runs) const {
  std::vector<std::vector<Stopwatch>> watches;
  for (size_t i = 0; i < kernels.size(); i++) watches.emplace_back(rounds * runs);
  for (const auto& kernel : kernels) kernel->launch();  // loads its code
  for (int round = 0; round < rounds; round++) {
    for (size_t turn = 0; turn < kernels.size(); turn++) {
      // Each round begins with another one: who runs after whom must not matter.
      const size_t which = (turn + static_cast<size_t>(round)) % kernels.size();
      for (int run = 0; run < runs; run++) {
        Stopwatch& watch = watches[which][static_cast<size_t>(round * runs + run)];
        backend::fill_bytes(flushed_.get(), 0, l2_flush_bytes);
        watch.start();
        kernels[which]->launch();
        watch.stop();
      }
    }
  }
  backend::synchronize();
  std::vector<double> medians;
  for (const auto& of_kernel : watches) {
    std::vector<double> milliseconds;
    for (const Stopwatch& watch : of_kernel) milliseconds.push_back(watch.milliseconds());
    medians.push_back(median(milliseconds));
  }
  return medians;
}
