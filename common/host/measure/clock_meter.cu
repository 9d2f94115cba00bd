#include "clock_meter.h"

#include "../device/cuda_check.h"

namespace {

__global__ void stamp_kernel(ClockStamp* target) {
  int64_t nanoseconds;
  int sm;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  *target = {clock64(), nanoseconds, sm};
}

}  // namespace

ClockMeter::ClockMeter(size_t runs) : runs_(runs), stamps_(static_cast<int64_t>(2 * runs)) {
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking));
}

ClockMeter::~ClockMeter() { cudaStreamDestroy(copies_); }

void ClockMeter::start(size_t i) { stamp(stamps_.get() + i); }

void ClockMeter::stop(size_t i) { stamp(stamps_.get() + runs_ + i); }

void ClockMeter::stamp(ClockStamp* target) {
  stamp_kernel<<<1, 1>>>(target);
  CUDA_CHECK(cudaGetLastError());
}

std::optional<double> ClockMeter::mhz() const {
  std::vector<ClockStamp> all(2 * runs_);
  CUDA_CHECK(cudaMemcpyAsync(
      all.data(), stamps_.get(), all.size() * sizeof(ClockStamp), cudaMemcpyDeviceToHost, copies_));
  CUDA_CHECK(cudaStreamSynchronize(copies_));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(runs_);
  return mean_clock_mhz({all.begin(), middle}, {middle, all.end()});
}
