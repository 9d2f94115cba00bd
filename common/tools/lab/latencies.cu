// How long the instructions of the kernels take by themselves, in SM clocks: the numbers that the
// model behind --explain supposes (docs/explain.md). `make latencies`.
#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <vector>

#include "../../host/device/backend.h"
#include "../../host/device/cuda_check.h"
#include "../../host/device/tensor_map.h"
#include "../../host/support/statistics.h"
#include "../../ptx/ptx.cuh"

namespace {

constexpr int repeats = 64;  // of an instruction, one after the other
constexpr int box_rows = 128, box_cols = 64;
constexpr int box_bytes = box_rows * box_cols * sizeof(bf16);
constexpr int boxes_per_block = 6;  // as many as the shared memory of sm_120 holds
constexpr int rows_per_block = repeats * 2 * box_rows;

struct Shared {
  alignas(1024) bf16 boxes[boxes_per_block][box_rows * box_cols];
  mbarrier barriers[boxes_per_block];
};

// Zeros, and barriers in their phase 0. Every thread.
__device__ Shared& prepare() {
  auto& smem = shared_storage<Shared>();
  for (int i = threadIdx.x; i < box_rows * box_cols; i += blockDim.x) smem.boxes[0][i] = bf16{};
  if (threadIdx.x == 0) {
    for (mbarrier& barrier : smem.barriers) mbarrier_init(shared_addr(&barrier), 1);
    fence_mbarrier_init();
  }
  // TMA will write where these zeros are.
  fence_proxy_async_shared_cta();
  __syncthreads();
  return smem;
}

enum class From { l2, dram };

// From the order of `boxes` copies to their last byte. Each block has rows of its own: it copies
// the same ones again and again, which are then in the L2, or always others.
template <int boxes, From from>
__global__ void tma_kernel(const __grid_constant__ CUtensorMap map, int rows, float* clocks) {
  Shared& smem = prepare();
  if (!elect_sync()) return;
  const uint32_t barrier = shared_addr(&smem.barriers[0]);
  int64_t start = 0;
  for (int i = 0; i < repeats; i++) {
    if (i == 1) start = clock64();
    mbarrier_arrive_expect_tx(barrier, boxes * rows * box_cols * sizeof(bf16));
    for (int box = 0; box < boxes; box++) {
      const int turn = from == From::dram ? i : 0;
      const int y = blockIdx.x * rows_per_block + (turn * 2 + box) * box_rows;
      cp_async_bulk_tensor_2d(shared_addr(smem.boxes[box]), &map, 0, y, barrier);
    }
    mbarrier_wait_parity(barrier, i % 2);
  }
  clocks[blockIdx.x] = static_cast<float>(clock64() - start) / (repeats - 1);
}

// Clocks of a copy of 16 KB out of the L2 while others are on their way.
__global__ void tma_stream_kernel(const __grid_constant__ CUtensorMap map, float* clocks) {
  Shared& smem = prepare();
  if (!elect_sync()) return;
  const auto copy = [&](int box) {
    const uint32_t barrier = shared_addr(&smem.barriers[box]);
    mbarrier_arrive_expect_tx(barrier, box_bytes);
    const int y = blockIdx.x * rows_per_block + box * box_rows;
    cp_async_bulk_tensor_2d(shared_addr(smem.boxes[box]), &map, 0, y, barrier);
  };
  for (int box = 0; box < boxes_per_block; box++) copy(box);
  int64_t start = 0;
  for (int lap = 0; lap < repeats; lap++) {
    if (lap == 1) start = clock64();
    for (int box = 0; box < boxes_per_block; box++) {
      mbarrier_wait_parity(shared_addr(&smem.barriers[box]), lap % 2);
      if (lap + 1 < repeats) copy(box);
    }
  }
  const float copies = (repeats - 1) * boxes_per_block;
  clocks[blockIdx.x] = static_cast<float>(clock64() - start) / copies;
}

// Clocks that a thread is busy with the order for two boxes, before it can do something else.
__global__ void tma_issue_kernel(const __grid_constant__ CUtensorMap map, float* clocks) {
  Shared& smem = prepare();
  if (!elect_sync()) return;
  const uint32_t barrier = shared_addr(&smem.barriers[0]);
  int64_t busy = 0;
  for (int i = 0; i < repeats; i++) {
    const int64_t start = clock64();
    mbarrier_arrive_expect_tx(barrier, 2 * box_bytes);
    cp_async_bulk_tensor_2d(shared_addr(smem.boxes[0]), &map, 0, 0, barrier);
    cp_async_bulk_tensor_2d(shared_addr(smem.boxes[1]), &map, 0, box_rows, barrier);
    busy += clock64() - start;
    mbarrier_wait_parity(barrier, i % 2);
  }
  clocks[blockIdx.x] = static_cast<float>(busy) / repeats;
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
  __device__ bool has_finished() const { return addr != 0; }
};

struct WaitForPastPhase {
  uint32_t barrier;
  __device__ explicit WaitForPastPhase(Shared& smem) : barrier(shared_addr(&smem.barriers[0])) {}
  __device__ void operator()() { mbarrier_wait_parity(barrier, 1); }
  __device__ bool has_finished() const { return true; }
};

struct WaitForBlock {
  __device__ explicit WaitForBlock(Shared&) {}
  __device__ void operator()() { __syncthreads(); }
  __device__ bool has_finished() const { return true; }
};

struct FenceProxy {
  __device__ explicit FenceProxy(Shared&) {}
  __device__ void operator()() { fence_proxy_async_shared_cta(); }
  __device__ bool has_finished() const { return true; }
};

template <class Operation>
__global__ void chain_kernel(float* clocks) {
  Operation operation(prepare());
  operation();
  const int64_t start = clock64();
#pragma unroll 8
  for (int i = 0; i < repeats; i++) operation();
  if (!operation.has_finished()) return;  // never so, but the clock is not read before
  const int64_t stop = clock64();
  if (threadIdx.x == 0) clocks[blockIdx.x] = static_cast<float>(stop - start) / repeats;
}

class Table {
 public:
  explicit Table(int sm_count)
      : sm_count_(sm_count),
        clocks_(sm_count),
        matrix_(int64_t{sm_count} * rows_per_block * box_cols) {
    backend::fill_bytes(
        matrix_.get(), 0, sm_count_ * int64_t{rows_per_block} * box_cols * sizeof(bf16));
  }

  template <class Kernel>
  void add_tma(const char* what, Kernel kernel, int rows = box_rows) {
    const CUtensorMap map = make_tensor_map(
        'A', matrix_.get(), Extent{int64_t{sm_count_} * rows_per_block, box_cols},
        Extent{rows, box_cols}, 128);
    add(what, [&](int blocks) {
      if constexpr (std::is_invocable<Kernel, CUtensorMap, int, float*>::value) {
        start(kernel, blocks, 32, map, rows, clocks_.get());
      } else {
        start(kernel, blocks, 32, map, clocks_.get());
      }
    });
  }

  template <class Operation>
  void add_chain(const char* what, int threads) {
    add(what, [&](int blocks) { start(chain_kernel<Operation>, blocks, threads, clocks_.get()); });
  }

 private:
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
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    throw Refusal("no GPU is visible to CUDA, and latencies are of one; the docs have an H200's");
  }
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, SM clocks %29s %10s\n", properties.name, "one SM", "every SM");
  Table table(properties.multiProcessorCount);
  table.add_tma("TMA: a thread orders two boxes", tma_issue_kernel);
  table.add_tma("TMA from the L2: order to data, 128 bytes", tma_kernel<1, From::l2>, 1);
  table.add_tma("TMA from the L2: order to last of 32,768 bytes", tma_kernel<2, From::l2>);
  table.add_tma("TMA from DRAM: order to last of 32,768 bytes", tma_kernel<2, From::dram>);
  table.add_tma("TMA from the L2: 16,384 bytes in a stream", tma_stream_kernel);
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
