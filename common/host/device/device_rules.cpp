#include "device_rules.h"

#include <algorithm>
#include <limits>

#include "../../config_checks.h"
#include "../support/text.h"
#include "matrices.h"

namespace {

constexpr const char* way_on = "the emulator is the way on, as in make 02 BACKEND=emulator";

}  // namespace

std::string cuda_version_text(int version) {
  return format("%d.%d", version / 1000, version % 1000 / 10);
}

std::string find_driver_fault(int driver, int toolkit, bool insufficient) {
  if (driver == 0) return format("no NVIDIA driver is installed, so there is no GPU; %s", way_on);
  // Within one major version, an older driver serves a newer toolkit.
  const bool older_major = driver / 1000 < toolkit / 1000;
  if (!older_major && !insufficient) return "";
  return format(
      "the driver is too old: it knows CUDA %s, and this program was built with CUDA %s; update "
      "the driver or build with an older toolkit",
      cuda_version_text(driver).c_str(), cuda_version_text(toolkit).c_str());
}

std::string find_gpu_fault(const GpuKind& gpu) {
  if (gpu.major >= 9) return "";
  return format(
      "%s has compute capability %d.%d, and TMA needs 9.0 or newer; %s", gpu.name.c_str(),
      gpu.major, gpu.minor, way_on);
}

std::string no_code_fault(const GpuKind& gpu, const ConfigDescription& config) {
  std::vector<std::string> built_for;
  for (const int arch : config.archs) built_for.push_back(format("sm_%d", arch));
  const int arch = gpu.major * 10 + gpu.minor;
  const std::string fault = format(
      "this program was built for %s, and %s is sm_%d; ", listed(built_for, " and ").c_str(),
      gpu.name.c_str(), arch);
  if (limits_of(arch).arch != arch) {
    return fault + "nothing is known of that here: it needs a row in common/archs.inc";
  }
  return fault + format("run make %s ARCH=%da", config.stage.substr(0, 2).c_str(), arch);
}

std::string find_shared_memory_fault(size_t needed, size_t limit) {
  if (needed <= limit) return "";
  return format(
      "a block needs %s bytes of shared memory, and this GPU has %s: over by %s; make BM, BN, BK "
      "or bk_stages smaller",
      with_commas(needed).c_str(), with_commas(limit).c_str(), with_commas(needed - limit).c_str());
}

std::string find_memory_fault(
    const ConfigDescription& config,
    double needed,
    double available,
    const char* kind) {
  if (needed <= available) return "";
  constexpr double GiB = 1 << 30;
  return format(
      "M = %s, N = %s, K = %s needs %.1f GiB of %s, and there are %.1f GiB; make the problem "
      "smaller",
      std::to_string(config.M).c_str(), std::to_string(config.N).c_str(),
      std::to_string(config.K).c_str(), needed / GiB, kind, available / GiB);
}

double device_bytes_needed(const Options& options, const ConfigDescription& config) {
  const double M = static_cast<double>(config.M);
  const double N = static_cast<double>(config.N);
  const double K = static_cast<double>(config.K);
  const double inputs = sizeof(bf16) * (M + N) * K;
  const double output = sizeof(float) * M * N;
  const double guards = 2.0 * Matrices::guard_bytes(config);
  // C, the reference, and the first launch's C to compare the others with.
  const double outputs = output * (options.launches > 1 ? 3 : 2);
  if (this_backend() == Backend::emulator) return inputs + outputs + guards;

  constexpr double cublas_workspace = 64 << 20;
  const bool timed = !options.check;
  const double bf16_output = timed ? sizeof(bf16) * M * N : 0;
  return inputs + outputs + guards + bf16_output + cublas_workspace + (timed ? l2_flush_bytes : 0);
}

double usable_gpu_memory(bool integrated, double free, double available_to_host) {
  return integrated ? std::max(free, available_to_host) : free;
}

std::string find_grid_fault(int64_t blocks) {
  if (blocks <= std::numeric_limits<int>::max()) return "";
  return format(
      "%s blocks are more than the 2^31 - 1 of a grid; make BM or BN larger, or M or N smaller",
      with_commas(blocks).c_str());
}
