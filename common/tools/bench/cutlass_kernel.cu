// One kernel of CUTLASS 2.x, as an object of the benchmark. make compiles it for each tile, where
// it is given CUTLASS=, and defines
//   BENCH_ENTRY                       the name of the function below
//   TILE_M, TILE_N, TILE_K, STAGES    the block's tile, and how many of it are in flight
#include <cutlass/gemm/device/gemm_universal_base.h>

#include <type_traits>

#include "../../host/device/cuda_check.h"
#include "../../host/support/refusal.h"
#include "../../host/support/text.h"
#include "peers.h"

using cutlass::gemm::GemmShape;
using RowMajor = cutlass::layout::RowMajor;
using ColumnMajor = cutlass::layout::ColumnMajor;  // of B [K, N]: as it lies in memory, [N, K]
using Input = cutlass::bfloat16_t;

constexpr int input_alignment = 8, output_alignment = 4;  // elements: 16 bytes each
constexpr int tiles_in_a_row = 8;  // width of the strips in which blocks go over C

// mma.sync.m16n8k16 with bf16 operands: a warp, 16x16 of A, 16x8 of B, sums in fp32.
using MmaSync = cutlass::arch::Mma<
    GemmShape<16, 8, 16>,
    32,
    Input,
    RowMajor,
    Input,
    ColumnMajor,
    float,
    RowMajor,
    cutlass::arch::OpMultiplyAdd>;

// C is the sums as they are: no alpha and no beta, so that C is not read.
using Epilogue = cutlass::epilogue::thread::LinearCombination<
    float,
    output_alignment,
    float,
    float,
    cutlass::epilogue::thread::ScaleType::Nothing>;

template <class Instruction, class Tile, class WarpTile, int stages>
using GemmKernel = typename cutlass::gemm::kernel::DefaultGemmUniversal<
    Input,
    RowMajor,
    cutlass::ComplexTransform::kNone,
    input_alignment,
    Input,
    ColumnMajor,
    cutlass::ComplexTransform::kNone,
    input_alignment,
    float,
    RowMajor,
    float,
    cutlass::arch::OpClassTensorOp,
    cutlass::arch::Sm80,
    Tile,
    WarpTile,
    typename Instruction::Shape,
    Epilogue,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<tiles_in_a_row>,
    stages,
    typename Instruction::Operator>::GemmKernel;

// The whole name of a GemmKernel is longer than what can be demangled. This one has in its name
// what counts, and the assertion makes that true.
template <class Instruction, class Tile, class WarpTile, int stages>
struct CutlassGemm : GemmKernel<Instruction, Tile, WarpTile, stages> {
  using WarpMma = typename GemmKernel<Instruction, Tile, WarpTile, stages>::Mma::Operator;
  static_assert(
      std::is_same<typename WarpMma::ArchMmaOperator, Instruction>::value,
      "the kernel uses another instruction than its name says");
};

using Kernel =
    CutlassGemm<MmaSync, GemmShape<TILE_M, TILE_N, TILE_K>, GemmShape<64, 64, TILE_K>, STAGES>;
using Gemm = cutlass::gemm::device::GemmUniversalBase<Kernel>;

static std::string kernel_text() {
  return format(
      "tile %dx%dx%d, warps of 64x64x%d, %d stages", TILE_M, TILE_N, TILE_K, TILE_K, STAGES);
}

static void check(cutlass::Status status, const char* what) {
  if (status == cutlass::Status::kSuccess) return;
  throw Refusal(format(
      "CUTLASS could not %s its kernel (%s): %s", what, kernel_text().c_str(),
      cutlass::cutlassGetStatusString(status)));
}

// Whether a block of this GPU may have as much shared memory as the stages take.
static bool fits_this_gpu() {
  int device = 0, bytes = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return sizeof(typename Kernel::SharedStorage) <= static_cast<size_t>(bytes);
}

static std::optional<CutlassKernel::Launch> make_launch(const Product& product, float* C) {
  if (!fits_this_gpu()) return std::nullopt;
  const int M = static_cast<int>(product.M);
  const int N = static_cast<int>(product.N);
  const int K = static_cast<int>(product.K);
  const Gemm::Arguments arguments(
      cutlass::gemm::GemmUniversalMode::kGemm, {M, N, K}, 1, {}, product.A, product.B, C, C, 0, 0,
      0, 0, K, K, N, N);
  if (Gemm::can_implement(arguments) != cutlass::Status::kSuccess) return std::nullopt;
  Gemm gemm;
  check(gemm.initialize(arguments), "prepare");
  return [gemm](cudaStream_t stream) mutable { check(gemm.run(stream), "launch"); };
}

CutlassKernel BENCH_ENTRY() { return {kernel_text(), make_launch}; }
