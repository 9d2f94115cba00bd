// What `make bench` finds out, how it is printed, and the rows that it writes to plots/data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../host/explain/cards.h"
#include "../../host/measure/benchmark.h"
#include "../../host/measure/steady.h"
#include "kernel_class.h"

// Names of contestants that are no stage.
constexpr const char* cublas_fp32 = "cublas_fp32";                // the same work
constexpr const char* cublas_bf16 = "cublas_bf16";                // what torch.matmul does
constexpr const char* cublaslt_mma_sync = "cublaslt_mma_sync";    // the best with that instruction
constexpr const char* cutlass_sm80 = "cutlass_sm80";              // CUTLASS 2.x, if it is there
constexpr const char* mma_sync_registers = "mma_sync_registers";  // the instruction alone

// The machine and its state, the same for all rows of a run.
struct Environment {
  std::string date, commit;
  Device device = {};
  Inputs inputs = Inputs::uniform;
  uint64_t seed = 0;
  std::optional<double> max_clock_mhz, power_limit_w, dram_gb_s;
  size_t cutlass_kernels = 0;  // that the program was built with
};

struct ProblemSize {
  int64_t M, N, K;
};

// "8192 x 8192 x 8192".
std::string size_text(const ProblemSize& size);

// The name of a stage that is entered a second time.
std::string twin_of(const std::string& stage);

// A contestant at one size. The base is its cold timing, by the protocol of do_bench.
struct Measurement : Timing {
  std::string contestant;  // a stage, or one of the names above
  std::string preset;      // of the build, "" for the config.h of the stage
  std::string kernel_hash, config;
  std::string kernel;                               // of a library, by name
  Instruction instruction = Instruction::mma_sync;  // what it multiplies with

  std::optional<SteadyFigure> steady;  // nothing in `make reproduce`
  std::optional<uint64_t> order_seed;  // of the rounds
  std::optional<double> temperature_c;
  std::optional<int> registers, spill_bytes;
  std::optional<uint64_t> smem_bytes;
  std::optional<bool> verified;  // nothing: there is no result
  std::optional<double> max_rel_error, tolerance;

  bool is_stage() const;
  bool is_twin() const;
  // TFLOP/s by which it is judged: in steady state where that was measured, else cold.
  double tflops() const { return steady ? steady->tflops : speed.median; }
  const std::vector<double>& rounds_ms() const { return steady ? steady->round_ms : round_ms; }
};

// The member of that name and preset; nullptr if there is none.
const Measurement* find_measurement(
    const std::vector<Measurement>& measurements,
    const std::string& contestant,
    const std::string& preset = "");

// The quotient of two medians; nothing where one is missing.
std::optional<double> speed_ratio(const Measurement* one, const Measurement* other);

// By how much a stage and its twin differ, as a share; nothing where there is no twin.
std::optional<double> twin_difference(const std::vector<Measurement>& measurements);

// In how many rounds each stage of one preset was faster than the stage before it.
struct OrderCount {
  int ordered, rounds;
};
OrderCount count_ordered_rounds(
    const std::vector<Measurement>& measurements,
    const std::string& preset);

// "power cap, thermal slowdown"; "" where no bit means that the GPU held its clock down.
std::string throttle_text(uint64_t reasons);

// The table of one size, with the kernels of the libraries and the warnings below it. `Environment`
// gives the highest clock.
std::string size_report(
    const Environment& environment,
    const ProblemSize& size,
    const std::vector<Measurement>& measurements);

// What the article says of `contestant` on a known card; nothing if it does not.
std::optional<ArticleFigure> published_figure(const Card* card, const std::string& contestant);

// The table of `make reproduce`, with the article's figures where it has this card.
std::string reproduction_report(
    const Environment& environment,
    const std::vector<Measurement>& measurements);

// Columns that mean the same have the names that `run --csv` gives them.
std::string bench_csv_header();
std::string bench_csv_row(
    const Environment& environment,
    const ProblemSize& size,
    const Measurement& measurement);
