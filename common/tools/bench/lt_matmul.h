// The same product by cuBLASLt, by any algorithm that it has: the peer that uses mma.sync.
#pragma once

#include <cublasLt.h>

#include <optional>
#include <string>
#include <vector>

#include "../../host/measure/timing.h"

class LtMatmul {
 public:
  // Runs write the product to C, in fp32. The matrices must outlive this. Throws Refusal.
  LtMatmul(const Product& product, float* C);
  ~LtMatmul();
  LtMatmul(const LtMatmul&) = delete;
  LtMatmul& operator=(const LtMatmul&) = delete;

  // Every algorithm with every tile, number of stages and option that the library takes for this
  // product: first those that it recommends, then the others, algorithms in turn.
  std::vector<cublasLtMatmulAlgo_t> algorithms() const;

  // Asynchronous. False if the library refuses.
  bool run(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const;

  double flops() const { return product_.flops(); }

 private:
  std::vector<cublasLtMatmulAlgo_t> recommended() const;
  std::vector<std::vector<cublasLtMatmulAlgo_t>> enumerated() const;
  void add_variants(int id, std::vector<cublasLtMatmulAlgo_t>& variants) const;
  bool accepts(const cublasLtMatmulAlgo_t& algorithm) const;

  const Product product_;
  float* const C_;
  Buffer<uint8_t> workspace_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_layout_ = nullptr, b_layout_ = nullptr, c_layout_ = nullptr;
};

// An algorithm and what is known about it.
struct LtChoice {
  cublasLtMatmulAlgo_t algorithm;
  std::string kernel;   // its name, which proves that it uses mma.sync
  std::string text;     // "algorithm 21, tile 20, 4 stages, ..." by cuBLASLt's numbers
  size_t tried, known;  // how many of the accepted ones were timed before time was up
};

// The fastest algorithm whose kernel uses mma.sync, by its name: all are run briefly, for
// `seconds` at most, and the best of them a few rounds in turn. Nothing if there is none.
std::optional<LtChoice> find_best_mma_sync(
    const LtMatmul& matmul,
    const std::string& arch,
    const Timer& timer,
    double seconds);
