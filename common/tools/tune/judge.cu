#include "judge.h"

#include "../../host/device/compare.h"
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
    : M_(config.M),
      N_(config.N),
      K_(config.K),
      exact_(config),
      random_(config),
      exact_rule_(input_rule(Inputs::integers, 1, K_)),
      expected_(M_ * N_),
      a_norms_(M_),
      b_norms_(N_),
      flushed_(l2_flush_bytes) {
  exact_.fill_inputs(exact_rule_);
  random_.fill_inputs(input_rule(Inputs::uniform, 1, K_));
  backend::compute_reference(
      exact_.A(), exact_.B(), M_, N_, K_, {expected_.get(), a_norms_.get(), b_norms_.get()});
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
  const backend::Comparison comparison = backend::compare(
      exact_.C(), {expected_.get(), a_norms_.get(), b_norms_.get()}, M_, N_, tolerance_for(K_),
      true);
  if (comparison.wrong > 0) {
    return format("%lld elements are wrong", static_cast<long long>(comparison.wrong));
  }
  return exact_.find_stray_write(exact_rule_).value_or("");
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
