// How long the instructions of the kernels take by themselves, in SM clocks: the numbers that the
// model behind --explain supposes (docs/explain.md). `make latencies`.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "../host/backend.h"
#include "../host/cuda_check.h"
#include "../host/statistics.h"
#include "../host/tensor_map.h"
#include "../ptx/ptx.cuh"

namespace {

constexpr int repeats = 64;  // of an instruction, one after the other
constexpr int box_rows = 128, box_cols = 64;
constexpr int boxes_per_block = 2;

struct Shared {
  alignas(1024) bf16 boxes[boxes_per_block][box_rows * box_cols];
  mbarrier barrier;
};

// Zeros, and a barrier in its phase 0. Every thread.
__device__ Shared& prepare() {
  auto& smem = shared_storage<Shared>();
  for (int i = threadIdx.x; i < box_rows * box_cols; i += blockDim.x) smem.boxes[0][i] = bf16{};
  if (threadIdx.x == 0) {
    mbarrier_init(shared_addr(&smem.barrier), 1);
    fence_mbarrier_init();
  }
  // TMA will write where these zeros are.
  fence_proxy_async_shared_cta();
  __syncthreads();
  return smem;
}

// From the order of `boxes` copies to their last byte; each block copies boxes of its own, and the
// first time brings them into the L2.
template <int boxes>
__global__ void tma_kernel(const __grid_constant__ CUtensorMap map, int rows, float* clocks) {
  Shared& smem = prepare();
  if (threadIdx.x != 0) return;
  const uint32_t barrier = shared_addr(&smem.barrier);
  int64_t start = 0;
  for (int i = 0; i <= repeats; i++) {
    if (i == 1) start = clock64();
    mbarrier_arrive_expect_tx(barrier, boxes * rows * box_cols * sizeof(bf16));
    for (int box = 0; box < boxes; box++) {
      const int y = (blockIdx.x * boxes + box) * box_rows;
      cp_async_bulk_tensor_2d(shared_addr(smem.boxes[box]), &map, 0, y, barrier);
    }
    mbarrier_wait_parity(barrier, i % 2);
  }
  clocks[blockIdx.x] = static_cast<float>(clock64() - start) / repeats;
}

// What a thread repeats: made once, then called.
struct LoadFragments {
  uint32_t addr;
  __device__ explicit LoadFragments(Shared& smem)
      : addr(shared_addr(smem.boxes[0]) + threadIdx.x % 32 * 16) {}
  __device__ void operator()() {
    bf16x2 r0, r1, r2, r3;
    ldmatrix_m8n8_x4_b16(r0, r1, r2, r3, addr);
    addr += r0;  // 0, but only the load knows: the next one has to wait
  }
};

struct WaitForPastPhase {
  uint32_t barrier;
  __device__ explicit WaitForPastPhase(Shared& smem) : barrier(shared_addr(&smem.barrier)) {}
  __device__ void operator()() { mbarrier_wait_parity(barrier, 1); }
};

struct WaitForBlock {
  __device__ explicit WaitForBlock(Shared&) {}
  __device__ void operator()() { __syncthreads(); }
};

struct FenceProxy {
  __device__ explicit FenceProxy(Shared&) {}
  __device__ void operator()() { fence_proxy_async_shared_cta(); }
};

template <class Operation>
__global__ void chain_kernel(float* clocks) {
  Operation operation(prepare());
  operation();
  const int64_t start = clock64();
#pragma unroll 8
  for (int i = 0; i < repeats; i++) operation();
  const int64_t stop = clock64();
  if (threadIdx.x == 0) clocks[blockIdx.x] = static_cast<float>(stop - start) / repeats;
}

class Table {
 public:
  explicit Table(int sm_count)
      : sm_count_(sm_count),
        clocks_(sm_count),
        matrix_(int64_t{sm_count} * boxes_per_block * box_rows * box_cols) {
    backend::fill_bytes(matrix_.get(), 0, matrix_bytes());
  }

  template <int boxes>
  void add_tma(const char* what, int rows) {
    const CUtensorMap map = make_tensor_map(
        'A', matrix_.get(), Extent{int64_t{sm_count_} * boxes_per_block * box_rows, box_cols},
        Extent{rows, box_cols}, 128);
    add(what, [&](int blocks) { start(tma_kernel<boxes>, blocks, 32, map, rows, clocks_.get()); });
  }

  template <class Operation>
  void add_chain(const char* what, int threads) {
    add(what, [&](int blocks) { start(chain_kernel<Operation>, blocks, threads, clocks_.get()); });
  }

 private:
  int64_t matrix_bytes() const {
    return int64_t{sm_count_} * boxes_per_block * box_rows * box_cols * sizeof(bf16);
  }

  template <class... Parameters, class... Arguments>
  void start(void (*kernel)(Parameters...), int blocks, int threads, Arguments... arguments) {
    CUDA_CHECK(cudaFuncSetAttribute(
        reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
        static_cast<int>(sizeof(Shared))));
    kernel<<<blocks, threads, sizeof(Shared)>>>(arguments...);
    CUDA_CHECK(cudaGetLastError());
  }

  // A line: the median over the blocks, one block alone and one on each SM.
  template <class Launch>
  void add(const char* what, const Launch& launch) {
    std::printf("  %-52s", what);
    for (const int blocks : {1, sm_count_}) {
      launch(blocks);
      backend::synchronize();
      std::vector<float> clocks(static_cast<size_t>(blocks));
      CUDA_CHECK(cudaMemcpy(
          clocks.data(), clocks_.get(), clocks.size() * sizeof(float), cudaMemcpyDeviceToHost));
      std::printf(" %10.0f", median({clocks.begin(), clocks.end()}));
    }
    std::printf("\n");
  }

  int sm_count_;
  Buffer<float> clocks_;
  Buffer<bf16> matrix_;
};

void print_latencies() {
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, SM clocks %29s %10s\n", properties.name, "one SM", "every SM");
  Table table(properties.multiProcessorCount);
  table.add_tma<1>("TMA from the L2: order to data, 128 bytes", 1);
  table.add_tma<2>("TMA from the L2: order to last byte, 32,768 bytes", box_rows);
  table.add_chain<LoadFragments>("ldmatrix.x4: address to fragments", 32);
  table.add_chain<WaitForPastPhase>("mbarrier: wait for a phase that is over", 32);
  table.add_chain<WaitForBlock>("__syncthreads() of 4 warps", 128);
  table.add_chain<FenceProxy>("fence.proxy.async, nothing in flight", 32);
}

}  // namespace

int main() {
  try {
    print_latencies();
    return 0;
  } catch (const Refusal& refusal) {
    std::fprintf(stderr, "refused: %s\n", refusal.what());
    return 2;
  }
}
