#include <cstdlib>
#include <cstring>
#include <new>

#include "backend.h"

namespace backend {

void* allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) throw std::bad_alloc();
  return memory;
}

void release(void* memory) { std::free(memory); }

void fill_bytes(void* memory, uint8_t value, size_t bytes) { std::memset(memory, value, bytes); }

void copy(void* target, const void* source, size_t bytes) { std::memcpy(target, source, bytes); }

void synchronize() {}  // emulated launches have ended when they return

void fill_inputs(bf16* target, const InputRule& rule, char operand, int64_t count) {
  for (int64_t i = 0; i < count; i++) target[i] = to_bf16(input_value(rule, operand, i));
}

int64_t count_changed_inputs(const bf16* data, const InputRule& rule, char operand, int64_t count) {
  int64_t changed = 0;
  for (int64_t i = 0; i < count; i++) {
    changed += data[i].bits != to_bf16(input_value(rule, operand, i)).bits;
  }
  return changed;
}

int64_t find_other_byte(const void* memory, uint8_t value, int64_t bytes) {
  const uint8_t* data = static_cast<const uint8_t*>(memory);
  for (int64_t i = 0; i < bytes; i++) {
    if (data[i] != value) return i;
  }
  return -1;
}

int64_t find_difference(const void* a, const void* b, int64_t words) {
  const uint32_t* left = static_cast<const uint32_t*>(a);
  const uint32_t* right = static_cast<const uint32_t*>(b);
  for (int64_t i = 0; i < words; i++) {
    if (left[i] != right[i]) return i;
  }
  return -1;
}

std::vector<float> gather(const float* memory, const std::vector<int64_t>& indices) {
  std::vector<float> values;
  for (const int64_t index : indices) values.push_back(memory[index]);
  return values;
}

std::string reference_name() { return "a CPU loop in double precision"; }

bool reference_needs_check() { return false; }

}  // namespace backend
