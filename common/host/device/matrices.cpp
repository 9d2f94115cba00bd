#include "matrices.h"

#include <algorithm>

#include "../support/text.h"

namespace {

constexpr uint8_t poison = 0xff;

}  // namespace

int64_t Matrices::guard_bytes(const ConfigDescription& config) {
  constexpr int64_t least = 4 << 10, most = 4 << 20, alignment = 256;
  const int64_t tile_row = config.BM * config.N * static_cast<int64_t>(sizeof(float));
  return std::clamp(tile_row / alignment * alignment, least, most);
}

Matrices::Matrices(const ConfigDescription& config)
    : a_count_(config.M * config.K),
      b_count_(config.N * config.K),
      c_bytes_(config.M * config.N * static_cast<int64_t>(sizeof(float))),
      guard_bytes_(guard_bytes(config)),
      A_(a_count_),
      B_(b_count_),
      guarded_C_(2 * guard_bytes_ + c_bytes_),
      product_{A(), B(), config.M, config.N, config.K} {}

float* Matrices::C() const { return reinterpret_cast<float*>(guarded_C_.get() + guard_bytes_); }

void Matrices::fill_inputs(const InputRule& rule) {
  backend::fill_inputs(A_.get(), rule, 'A', a_count_);
  backend::fill_inputs(B_.get(), rule, 'B', b_count_);
}

void Matrices::poison_output() {
  backend::fill_bytes(guarded_C_.get(), poison, 2 * guard_bytes_ + c_bytes_);
}

std::optional<std::string> Matrices::find_stray_write(const InputRule& rule) const {
  const uint8_t* before = guarded_C_.get();
  const uint8_t* after = before + guard_bytes_ + c_bytes_;
  const int64_t in_front = backend::find_other_byte(before, poison, guard_bytes_);
  if (in_front >= 0) {
    return format(
        "the kernel wrote outside C: %lld bytes before its first element",
        static_cast<long long>(guard_bytes_ - in_front));
  }
  const int64_t behind = backend::find_other_byte(after, poison, guard_bytes_);
  if (behind >= 0) {
    return format(
        "the kernel wrote outside C: %lld bytes after its last element",
        static_cast<long long>(behind));
  }
  const int64_t in_A = backend::count_changed_inputs(A(), rule, 'A', a_count_);
  const int64_t in_B = backend::count_changed_inputs(B(), rule, 'B', b_count_);
  if (in_A + in_B == 0) return std::nullopt;
  return format(
      "the kernel changed its inputs: %lld elements of A and %lld of B",
      static_cast<long long>(in_A), static_cast<long long>(in_B));
}
