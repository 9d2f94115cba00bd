// All contestants at one size: verified, timed in turn, verified again.
#pragma once

#include <stdexcept>

#include "../../host/measure/mma_peak.h"
#include "bench_kernel.h"
#include "bench_options.h"
#include "curve.h"
#include "measurement.h"

// A contestant's result was wrong, before or after it was timed. The text is one line.
class WrongResult : public std::runtime_error {
 public:
  explicit WrongResult(const std::string& line) : std::runtime_error(line) {}
};

// A kernel, and the device that runs it, with the registers of that kernel.
struct BenchStage {
  MatmulKernel kernel;
  Device device;
};

// Times stages and peers in options.rounds rounds, cold and then in steady state. `loop` is the
// fastest mma.sync loop, looked for if it has none yet. Throws WrongResult, or Refusal.
std::vector<Measurement> run_contest(
    std::vector<BenchStage>& stages,
    const BenchOptions& options,
    const Timer& timer,
    std::optional<MmaLoop>& loop);

// As the article does: each stage alone and once, one after the other, and cuBLAS with bf16 output
// first, in place of torch.matmul.
std::vector<Measurement> run_reproduction(
    std::vector<BenchStage>& stages,
    const BenchOptions& options,
    const Timer& timer);

// How the last stage begins after the first, after the one before it, after cuBLAS and after rest.
CurveRecord run_curves(
    std::vector<BenchStage>& stages,
    const BenchOptions& options,
    const Timer& timer);
