// What C has to be: made by other means than the kernel, itself checked, and compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../config/config_description.h"
#include "../device/matrices.h"

// The inputs that --inputs and a seed ask for. Throws Refusal where integers cannot be exact.
InputRule input_rule(Inputs inputs, uint64_t seed, int64_t K);

// What is wrong with a launch, and how far it is off.
struct ProductCheck {
  bool right = false;        // every element of C
  double max_rel_error = 0;  // in the unit of compare.h
  std::string fault;         // in one line; "" if C is right and nothing else was written
};

// The product of one problem's inputs, seed after seed, and its memory.
class ExpectedProduct {
 public:
  ExpectedProduct(const ConfigDescription& config, Inputs inputs);

  // Fills A and B of `matrices` from `seed` and computes what C has to be. Throws Refusal where the
  // reference is wrong.
  void prepare(Matrices& matrices, uint64_t seed);

  // C against the product, and all around it. With the config of the kernel that wrote it, a wrong
  // element is named with the register that it came from.
  ProductCheck check(const Matrices& matrices, const ConfigDescription* kernel) const;

  const float* elements() const { return expected_.get(); }   // [M, N]
  bool exact() const { return inputs_ == Inputs::integers; }  // compared bit for bit
  double tolerance() const { return tolerance_; }             // 0 if exact

 private:
  backend::Reference reference() const { return {expected_.get(), a_norms_.get(), b_norms_.get()}; }
  std::string mismatch_text(
      const Matrices& matrices,
      const backend::Comparison& comparison,
      const ConfigDescription* kernel) const;

  const ConfigDescription& config_;
  const Inputs inputs_;
  const double tolerance_;
  InputRule rule_ = {};
  Buffer<float> expected_, a_norms_, b_norms_;
};

// Indices into C at which a slow check looks: corners, edges, a pseudo-random element of each tile
// (of up to 1024 tiles) and some more. Sorted, each once.
std::vector<int64_t> sample_indices(const ConfigDescription& config, uint64_t seed);

// Element `index` of the product in double precision, from the inputs' rule alone; and |a| * |b|.
struct ExactElement {
  double value, scale;
};
ExactElement exact_element(const ConfigDescription& config, const InputRule& rule, int64_t index);

// The reference is somebody's program, too: sampled elements of cuBLAS' product, in the kernel's
// memory, are computed anew in double precision. Returns what is wrong with it, in one line, or "".
std::string find_reference_fault(
    const ConfigDescription& config,
    const InputRule& rule,
    const float* product);
