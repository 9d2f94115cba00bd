// The config of a stage: does it work as it stands, how does its storage lie in shared memory, and
// how much work is a k-tile?
#include <memory>

#include "../../config_checks.h"
#include "../../host/config/describe.h"
#include "../../host/explain/explain.h"
#include "stage_checks.h"

namespace {

// ---- The config.h as it stands

// Its fields on a problem of the emulator's size.
template <class F>
struct SmallProblem : F {
  static constexpr int M = F::M < 512 ? F::M : 512;
  static constexpr int N = F::N < 512 ? F::N : 512;
  static constexpr int K = F::K < 512 ? F::K : 512;
};

template <class Cfg>
constexpr Violation violation_of(size_t smem_bytes) {
  return config_values<Cfg>(static_cast<long long>(smem_bytes))
      .first_violation(limits_of(CONFIG_ARCH));
}

// An edited config.h that breaks a rule fails here, in a sentence, and lets the rest compile.
template <class F>
void check_if_legal() {
  using Cfg = GemmConfig<F>;
  constexpr Violation without_storage = violation_of<Cfg>(0);
  if constexpr (without_storage.rule != ConfigRule::none) {
    FAIL(sentence_of(without_storage).text);
  } else {
    constexpr Violation whole = violation_of<Cfg>(sizeof(SharedStorage<Cfg>));
    if constexpr (whole.rule != ConfigRule::none) {
      FAIL(sentence_of(whole).text);
    } else {
      check<Cfg>(1);
    }
  }
}

STAGE_CASE("the current config verifies") { check_if_legal<SmallProblem<Fields>>(); }

// ---- The layout of shared memory

template <int BM, int BN, int BK, int swizzle_, int stages>
struct Layout : AllFields<Fields, 512, 512, 512, BM, BN, BK, stages> {
  static constexpr int swizzle = swizzle_;
};

int buffers_of(int bk_stages) { return stage_has_field("bk_stages") ? bk_stages : 1; }

template <class F>
void check_layout() {
  using Cfg = GemmConfig<F>;
  static_assert(violation_of<Cfg>(0).rule == ConfigRule::none, "a legal config");
  using Storage = SharedStorage<Cfg>;
  const auto storage = std::make_unique<Storage>();
  const auto offset = [&](const void* member) {
    return static_cast<size_t>(
        static_cast<const char*>(member) - reinterpret_cast<const char*>(storage.get()));
  };
  const size_t atom = swizzle_atom_bytes(Cfg::swizzle);
  CHECK(alignof(Storage) >= 1024);  // the base that the wrapper aligns the window to
  CHECK(offset(&storage->As) % atom == 0);
  CHECK(offset(&storage->Bs) % atom == 0);
  CHECK(
      offset(&storage->Bs) >=
      offset(&storage->As) + Cfg::As_bytes * static_cast<size_t>(buffers_of(Cfg::bk_stages)));
  CHECK(Cfg::As_bytes % atom == 0);  // and so every buffer behind the first is aligned, too
  CHECK(Cfg::Bs_bytes % atom == 0);
}

STAGE_CASE("case 13 (tilelang 2379, emmy PR 200): tiles are aligned to their swizzle's atom") {
  check_layout<Layout<16, 16, 16, 32, 1>>();
  check_layout<Layout<16, 16, 16, 32, 3>>();  // tiles of one atom, an odd number of them
  check_layout<Layout<16, 48, 16, 32, 5>>();
  check_layout<Layout<16, 16, 32, 64, 3>>();
  check_layout<Layout<48, 16, 32, 64, 5>>();
  check_layout<Layout<16, 16, 64, 128, 3>>();
  check_layout<Layout<48, 80, 64, 128, 3>>();
  check_layout<Layout<16, 16, 48, 0, 3>>();
  check_layout<Layout<16, 48, 112, 0, 3>>();
}

template <int BM, int BN, int BK, int stages>
void check_storage_bytes() {
  using Cfg = GemmConfig<AllFields<Fields, 512, 512, 512, BM, BN, BK, stages>>;
  ConfigValues values = config_values<Cfg>();
  values.bk_stages = buffers_of(stages);
  CHECK(shared_storage_bytes(values) == static_cast<long long>(sizeof(SharedStorage<Cfg>)));
}

STAGE_CASE("the tuner knows the size of shared storage without the kernel") {
  check_storage_bytes<128, 128, 64, 1>();
  check_storage_bytes<128, 128, 64, 3>();
  check_storage_bytes<64, 96, 32, 5>();
  check_storage_bytes<96, 160, 16, 7>();
  check_storage_bytes<16, 16, 16, 32>();
  check_storage_bytes<16, 48, 16, 1>();
}

// ---- The model behind --explain

template <int BM, int BN, int BK, int warps_m, int warps_n, int swizzle_>
struct Tile : AllFields<Fields, 192, 256, 128, BM, BN, BK> {
  static constexpr int warps_per_block_m = warps_m;
  static constexpr int warps_per_block_n = warps_n;
  static constexpr int swizzle = swizzle_;
};

template <class F>
void check_work_against_emulator() {
  using Cfg = GemmConfig<F>;
  const TileWork work = tile_work(config_values<Cfg>());
  ExactProblem<Cfg> problem;
  const emulator::Counters counted = run_on_emulator(problem).counters;
  const double tiles = static_cast<double>(Cfg::blocks) * Cfg::block_k_iters;
  CHECK(work.mma * tiles == static_cast<double>(counted.mma));
  CHECK(work.ldmatrix * tiles == static_cast<double>(counted.ldmatrix));
  CHECK(work.read_wavefronts * tiles == static_cast<double>(counted.ldmatrix_wavefronts));
  CHECK(work.l2_bytes * tiles == static_cast<double>(counted.tma_bytes));
}

STAGE_CASE("explain: the work of a k-tile is what the emulator counts") {
  check_work_against_emulator<Tile<64, 64, 64, 2, 2, 128>>();
  check_work_against_emulator<Tile<64, 64, 64, 2, 2, 0>>();
  check_work_against_emulator<Tile<96, 128, 32, 3, 2, 64>>();
  check_work_against_emulator<Tile<64, 128, 32, 4, 1, 0>>();
  check_work_against_emulator<Tile<32, 64, 16, 1, 2, 32>>();
  check_work_against_emulator<Tile<32, 32, 16, 1, 1, 0>>();
}

}  // namespace
