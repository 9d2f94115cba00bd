#include "judge.h"

#include "../../host/device/cuda_check.h"
#include "../../host/device/launch.h"
#include "../../host/device/tensor_map.h"
#include "../../host/measure/timing.h"
#include "../../host/support/statistics.h"

LoadedKernel::LoadedKernel(const Compiled& compiled, const Matrices& matrices)
    : values_(compiled.candidate.values) {
  CUDA_CHECK(cudaLibraryLoadFromFile(
      &library_, compiled.cubin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA_CHECK(cudaLibraryEnumerateKernels(&kernel_, 1, library_));
  const ConfigValues& v = values_;
  const int swizzle = static_cast<int>(v.swizzle);
  a_map_ = make_tensor_map('A', matrices.A(), Extent{v.M, v.K}, Extent{v.BM, v.BK}, swizzle);
  b_map_ = make_tensor_map('B', matrices.B(), Extent{v.N, v.K}, Extent{v.BN, v.BK}, swizzle);
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) cudaLibraryUnload(library_);
}

void LoadedKernel::launch(float* C) const {
  CUtensorMap a_map = a_map_, b_map = b_map_;
  void* arguments[] = {&a_map, &b_map, &C};
  launch_on_gpu(
      reinterpret_cast<const void*>(kernel_), values_.blocks(), static_cast<int>(values_.threads()),
      static_cast<size_t>(values_.smem_bytes), arguments);
}

Judge::Judge(const ConfigDescription& config)
    : exact_(config),
      random_(config),
      expected_(config, Inputs::integers),
      flushed_(l2_flush_bytes) {
  expected_.prepare(exact_, 1);
  random_.fill_inputs(input_rule(Inputs::uniform, 1, config.K));
}

std::unique_ptr<LoadedKernel> Judge::load(const Compiled& compiled) const {
  return std::unique_ptr<LoadedKernel>(new LoadedKernel(compiled, random_));
}

std::string Judge::find_fault(const Compiled& compiled) {
  exact_.poison_output();
  try {
    const LoadedKernel kernel(compiled, exact_);
    kernel.launch(exact_.C());
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
  for (const auto& kernel : kernels) kernel->launch(random_.C());  // loads its code
  for (int round = 0; round < rounds; round++) {
    for (size_t turn = 0; turn < kernels.size(); turn++) {
      // Each round begins with another one: who runs after whom must not matter.
      const size_t which = (turn + static_cast<size_t>(round)) % kernels.size();
      for (int run = 0; run < runs; run++) {
        Stopwatch& watch = watches[which][static_cast<size_t>(round * runs + run)];
        backend::fill_bytes(flushed_.get(), 0, l2_flush_bytes);
        watch.start();
        kernels[which]->launch(random_.C());
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
