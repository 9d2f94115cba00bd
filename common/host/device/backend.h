// What the host asks of the memory that a kernel works on: a GPU's, or plain memory on the
// emulator. backend_cuda.cu, backend_emulator.cpp and reference_emulator.cpp implement it; all else
// is written once, on top of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../ptx/bf16.h"
#include "inputs.h"

// The task of the kernel, of the reference and of their peers: C[M, N] = A[M, K] x B[N, K]^T, all
// row-major, in the kernel's memory.
struct Product {
  const bf16* A;
  const bf16* B;
  int64_t M, N, K;

  double flops() const { return 2.0 * M * N * K; }
};

namespace backend {

// Memory that the kernel can use, 256-byte aligned. Throws Refusal if there is too little.
void* allocate(size_t bytes);
void release(void* memory);

void fill_bytes(void* memory, uint8_t value, size_t bytes);  // on a GPU it may return early
void copy(void* target, const void* source, size_t bytes);   // both the kernel's

// Waits for the launches so far. Throws Refusal if one failed.
void synchronize();

// Writes elements 0 .. count-1 of an operand, rounded to bf16.
void fill_inputs(bf16* target, const InputRule& rule, char operand, int64_t count);

// How many elements differ from what fill_inputs wrote.
int64_t count_changed_inputs(const bf16* data, const InputRule& rule, char operand, int64_t count);

// The offset of the first byte that is not `value`, or -1.
int64_t find_other_byte(const void* memory, uint8_t value, int64_t bytes);

// The index of the first 32-bit word that differs, or -1.
int64_t find_difference(const void* a, const void* b, int64_t words);

// The right result, by other means than the kernel, and the Euclidean norms of the rows of A and B.
// All in the kernel's memory.
struct Reference {
  float* expected;  // [M, N]
  float* a_norms;   // [M]
  float* b_norms;   // [N]
};
void compute_reference(const Product& product, const Reference& reference);

// All elements of C against the reference, by check_element (compare.h).
struct Comparison {
  int64_t wrong = 0;         // elements
  int64_t first_wrong = -1;  // its index in C, row by row
  double max_rel_error = 0;
};
Comparison compare(
    const float* C,
    const Product& product,
    const Reference& reference,
    double tolerance,
    bool exact);

// memory[indices[i]] for every i, copied to the host.
std::vector<float> gather(const float* memory, const std::vector<int64_t>& indices);

// Where the reference comes from, for people.
std::string reference_name();

// Whether the reference is somebody else's program, of which sampled elements must be checked.
bool reference_needs_check();

}  // namespace backend

// Owns memory of the backend.
template <class T>
class Buffer {
 public:
  explicit Buffer(int64_t count = 0)
      : data_(count > 0 ? static_cast<T*>(backend::allocate(count * sizeof(T))) : nullptr) {}
  ~Buffer() {
    if (data_ != nullptr) backend::release(data_);
  }
  Buffer(Buffer&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  Buffer& operator=(Buffer&& other) noexcept {
    T* mine = data_;
    data_ = other.data_;
    other.data_ = mine;
    return *this;
  }

  T* get() const { return data_; }

 private:
  T* data_;
};
