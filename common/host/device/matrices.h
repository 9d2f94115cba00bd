// A, B and C in the memory that the kernel works on.
#pragma once

#include <optional>
#include <string>

#include "../config/config_description.h"
#include "backend.h"

class Matrices {
 public:
  // Allocates; contents are undefined until fill_inputs() and poison_output().
  explicit Matrices(const ConfigDescription& config);

  const bf16* A() const { return A_.get(); }  // [M, K], row-major
  const bf16* B() const { return B_.get(); }  // [N, K], row-major
  float* C() const;                           // [M, N], row-major, between two guard bands
  const Product& product() const { return product_; }

  void fill_inputs(const InputRule& rule);

  // Every byte of C and of its guard bands becomes 0xff: NaN, so that an element that the kernel
  // does not write is wrong.
  void poison_output();

  // What the kernel wrote outside C or into A or B, as a sentence; nothing if it did not.
  std::optional<std::string> find_stray_write(const InputRule& rule) const;

  // Bytes of one guard band: a row of tiles, within reason. The band before C keeps it aligned.
  static int64_t guard_bytes(const ConfigDescription& config);

 private:
  int64_t a_count_, b_count_, c_bytes_, guard_bytes_;
  Buffer<bf16> A_, B_;
  Buffer<uint8_t> guarded_C_;
  Product product_;
};
