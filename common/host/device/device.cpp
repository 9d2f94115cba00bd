#include "device.h"

#include "matrices.h"

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
