#include "backend.h"

#include <cuda_bf16.h>

#include "compare.h"
#include "cublas_matmul.h"
#include "cuda_check.h"

namespace {

using Counter = unsigned long long;

constexpr int block_threads = 256;
constexpr Counter none = ~Counter{0};

// Enough blocks to fill a GPU; the kernels below stride over all elements with them.
int grid_blocks(int64_t count) {
  constexpr int64_t most = 2048;
  const int64_t wanted = (count + block_threads - 1) / block_threads;
  return static_cast<int>(wanted < most ? wanted : most);
}

__device__ int64_t first_index() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ int64_t index_step() { return int64_t{gridDim.x} * blockDim.x; }

__device__ uint16_t input_bits(const InputRule& rule, char operand, int64_t index) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(input_value(rule, operand, index)));
}

__global__ void fill_inputs_kernel(bf16* target, InputRule rule, char operand, int64_t count) {
  for (int64_t i = first_index(); i < count; i += index_step()) {
    target[i].bits = input_bits(rule, operand, i);
  }
}

// How many elements are not what they should be, and the first of them.
struct Found {
  Counter count, first;
};

template <class Differs>
__global__ void scan_kernel(Differs differs, int64_t count, Found* found) {
  for (int64_t i = first_index(); i < count; i += index_step()) {
    if (!differs(i)) continue;
    atomicAdd(&found->count, 1);
    atomicMin(&found->first, static_cast<Counter>(i));
  }
}

struct OtherInput {
  const bf16* data;
  InputRule rule;
  char operand;
  __device__ bool operator()(int64_t i) const {
    return data[i].bits != input_bits(rule, operand, i);
  }
};

struct OtherByte {
  const uint8_t* data;
  uint8_t value;
  __device__ bool operator()(int64_t i) const { return data[i] != value; }
};

struct OtherWord {
  const uint32_t *a, *b;
  __device__ bool operator()(int64_t i) const { return a[i] != b[i]; }
};

// One warp per row.
__global__ void row_norms_kernel(const bf16* matrix, int64_t rows, int64_t K, float* norms) {
  const int lane = threadIdx.x % 32;
  for (int64_t row = first_index() / 32; row < rows; row += index_step() / 32) {
    float sum = 0;
    for (int64_t k = lane; k < K; k += 32) {
      const float value = __uint_as_float(uint32_t{matrix[row * K + k].bits} << 16);
      sum += value * value;
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0) norms[row] = sqrtf(sum);
  }
}

// A Comparison while it grows. No error is negative, so bit patterns compare like the numbers.
struct Summary {
  Found wrong;
  Counter max_rel_error_bits;
};

__global__ void compare_kernel(
    const float* C,
    backend::Reference reference,
    int64_t N,
    int64_t count,
    double tolerance,
    bool exact,
    Summary* summary) {
  double max_rel_error = 0;
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const double scale = double{reference.a_norms[i / N]} * reference.b_norms[i % N];
    const ElementCheck check = check_element(C[i], reference.expected[i], scale, tolerance, exact);
    if (check.rel_error > max_rel_error) max_rel_error = check.rel_error;
    if (check.right) continue;
    atomicAdd(&summary->wrong.count, 1);
    atomicMin(&summary->wrong.first, static_cast<Counter>(i));
  }
  if (max_rel_error > 0) {
    atomicMax(&summary->max_rel_error_bits, __double_as_longlong(max_rel_error));
  }
}

// A value in device memory for kernels to update.
template <class Value>
class DeviceValue {
 public:
  explicit DeviceValue(const Value& value) : memory_(1) {
    CUDA_CHECK(cudaMemcpy(memory_.get(), &value, sizeof value, cudaMemcpyHostToDevice));
  }
  Value* get() const { return memory_.get(); }
  Value read() const {
    Value value;
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&value, memory_.get(), sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  Buffer<Value> memory_;
};

template <class Differs>
Found scan(const Differs& differs, int64_t count) {
  const DeviceValue<Found> found({0, none});
  scan_kernel<<<grid_blocks(count), block_threads>>>(differs, count, found.get());
  return found.read();
}

int64_t index_or_none(Counter index) { return index == none ? -1 : static_cast<int64_t>(index); }

}  // namespace

namespace backend {

void* allocate(size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    throw Refusal(format(
        "the GPU has %s of its %s free, and the run needs %s more; make M, N or K smaller, or end "
        "what else uses the GPU",
        as_bytes(free).c_str(), as_bytes(total).c_str(), as_bytes(bytes).c_str()));
  }
  CUDA_CHECK(status);
  return memory;
}

void release(void* memory) {
  cudaFree(memory);  // fails only after an error that has been reported already
}

void fill_bytes(void* memory, uint8_t value, size_t bytes) {
  CUDA_CHECK(cudaMemset(memory, value, bytes));
}

void copy(void* target, const void* source, size_t bytes) {
  CUDA_CHECK(cudaMemcpy(target, source, bytes, cudaMemcpyDeviceToDevice));
}

void synchronize() {
  const cudaError_t status = cudaDeviceSynchronize();
  if (status == cudaSuccess) return;
  throw Refusal(format(
      "the kernel failed while it ran: %s (%s); compute-sanitizer ./NN/run --check says where",
      cudaGetErrorName(status), cudaGetErrorString(status)));
}

void fill_inputs(bf16* target, const InputRule& rule, char operand, int64_t count) {
  fill_inputs_kernel<<<grid_blocks(count), block_threads>>>(target, rule, operand, count);
  CUDA_CHECK(cudaGetLastError());
}

int64_t count_changed_inputs(const bf16* data, const InputRule& rule, char operand, int64_t count) {
  return static_cast<int64_t>(scan(OtherInput{data, rule, operand}, count).count);
}

int64_t find_other_byte(const void* memory, uint8_t value, int64_t bytes) {
  return index_or_none(scan(OtherByte{static_cast<const uint8_t*>(memory), value}, bytes).first);
}

int64_t find_difference(const void* a, const void* b, int64_t words) {
  const OtherWord differs = {static_cast<const uint32_t*>(a), static_cast<const uint32_t*>(b)};
  return index_or_none(scan(differs, words).first);
}

void compute_reference(const Product& product, const Reference& reference) {
  const auto& [A, B, M, N, K] = product;
  const CublasMatmul cublas;
  cublas.run(product, reference.expected, OutputType::fp32);
  row_norms_kernel<<<grid_blocks(M * 32), block_threads>>>(A, M, K, reference.a_norms);
  row_norms_kernel<<<grid_blocks(N * 32), block_threads>>>(B, N, K, reference.b_norms);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

Comparison compare(
    const float* C,
    const Product& product,
    const Reference& reference,
    double tolerance,
    bool exact) {
  const int64_t count = product.M * product.N;
  const DeviceValue<Summary> device_summary({{0, none}, 0});
  compare_kernel<<<grid_blocks(count), block_threads>>>(
      C, reference, product.N, count, tolerance, exact, device_summary.get());
  const Summary summary = device_summary.read();
  Comparison result;
  result.wrong = static_cast<int64_t>(summary.wrong.count);
  result.first_wrong = index_or_none(summary.wrong.first);
  static_assert(sizeof result.max_rel_error == sizeof summary.max_rel_error_bits, "a double");
  memcpy(&result.max_rel_error, &summary.max_rel_error_bits, sizeof result.max_rel_error);
  return result;
}

std::vector<float> gather(const float* memory, const std::vector<int64_t>& indices) {
  std::vector<float> values;
  for (const int64_t index : indices) {
    float* const value = &values.emplace_back();
    CUDA_CHECK(cudaMemcpy(value, memory + index, sizeof *value, cudaMemcpyDeviceToHost));
  }
  return values;
}

std::string reference_name() {
  return "cuBLAS (fp32 accumulation), itself checked in double precision at sampled elements";
}

bool reference_needs_check() { return true; }

}  // namespace backend
