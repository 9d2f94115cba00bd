// What each instruction does: a case for each, called "instruction NAME: ...". wrappers_test.cpp
// wants them for whatever ptx/instructions.h declares, and suites/instruction_stubs.sh sees that
// each bites. What is reported of a wrong use is in emulator_test.cpp, layouts of fragments in
// fragments_test.cpp.
#include <algorithm>
#include <cstring>

#include "../support/mini_kernel.h"

using emulator::Report;

namespace {

constexpr uint32_t tile_bytes = 16 * 16 * sizeof(bf16);

const NumberedMatrix& numbered() {
  static const NumberedMatrix matrix(16, 16);
  return matrix;
}

CUtensorMap numbered_map() { return numbered().map('A', 16, 16); }

// Thread 0 copies the tile, and announces it.
void copy_tile(const CUtensorMap& map) {
  if (threadIdx.x != 0) return;
  mbarrier_arrive_expect_tx(barrier_addr(0), tile_bytes);
  cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
}

uint32_t row_addr() { return tile_addr(0) + threadIdx.x % 16 * 32; }

// One warp copies a tile, reads it, does `between`, and then thread 0 copies it again.
emulator::LaunchResult refill(
    const emulator::LaunchOptions& options,
    const std::function<void()>& between) {
  const CUtensorMap map = numbered_map();
  return run_mini(
      1,
      [&] {
        init_barriers(1);
        copy_tile(map);
        mbarrier_wait_parity(barrier_addr(0), 0);
        bf16x2 r[4];
        ldmatrix_m8n8_x4_b16(r[0], r[1], r[2], r[3], row_addr());
        between();
        copy_tile(map);
        mbarrier_wait_parity(barrier_addr(0), 1);
      },
      options);
}

// ldmatrix of `matrices` 8x8: lane i holds elements 2(i%4), 2(i%4)+1 of row i/4 of each.
template <class Load>
void check_ldmatrix(int matrices, const Load& load) {
  const NumberedMatrix matrix(32, 8);
  const CUtensorMap map = matrix.map('A', 32, 8);
  for (const auto& options : all_schedules()) {
    bf16x2 registers[32][4];
    const auto result = run_mini(
        1,
        [&] {
          init_barriers(1);
          load_and_wait(map, 0, 0);
          // Lane i names row i of a tile of 16-byte rows; lanes beyond the instruction's are
          // ignored.
          const uint32_t row = threadIdx.x < static_cast<uint32_t>(8 * matrices) ? threadIdx.x : 0;
          load(registers[threadIdx.x], tile_addr(0) + row * 16);
        },
        options);
    CHECK(result.reports.empty());
    CHECK(result.counters.ldmatrix == 1);
    for (int lane = 0; lane < 32; lane++) {
      for (int m = 0; m < matrices; m++) {
        const int row = 8 * m + lane / 4, col = lane % 4 * 2;
        const uint32_t first = NumberedMatrix::bits(row, col);
        const uint32_t second = NumberedMatrix::bits(row, col + 1);
        CHECK(registers[lane][m].bits == (first | second << 16));
      }
    }
  }
}

}  // namespace

// --- Shared memory

TEST_CASE("instruction shared_storage: the launch's bytes, NaN, the same for all threads") {
  std::vector<MiniStorage*> seen(64);
  uint16_t first = 0;
  run_mini(2, [&] {
    seen[threadIdx.x] = &shared_storage<MiniStorage>();
    std::memcpy(&first, shared_storage<MiniStorage>().tile[1], sizeof first);
  });
  CHECK(reinterpret_cast<uintptr_t>(seen[0]) % 1024 == 0);
  CHECK(std::count(seen.begin(), seen.end(), seen[0]) == 64);
  CHECK(first == 0x7fff);
}

TEST_CASE(
    "instruction shared_addr: addresses are as far apart as the objects, from an aligned base") {
  uint32_t base = 0, second = 0, barrier = 0;
  run_mini(1, [&] {
    base = shared_addr(&shared_storage<MiniStorage>());
    second = tile_addr(1);
    barrier = barrier_addr(2);
  });
  CHECK(base % 1024 == 0);
  CHECK(second - base == 16384);
  CHECK(barrier - base == 2 * 16384 + 2 * sizeof(mbarrier));
}

// --- mbarriers

TEST_CASE("instruction mbarrier_init: a phase takes as many arrivals as it names") {
  for (const auto& options : all_schedules()) {
    for (const uint32_t arrivals : {1, 2}) {
      const auto result = run_mini(
          1,
          [&] {
            init_barriers(1, arrivals);
            if (threadIdx.x == 5) mbarrier_arrive(barrier_addr(0));
            mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      CHECK(result.count(Report::Kind::deadlock) == arrivals - 1);
      CHECK(result.count(Report::Kind::other) == 0);
    }
  }
}

TEST_CASE("instruction fence_mbarrier_init: before it, no other thread may use the barrier") {
  for (const auto& options : all_schedules()) {
    for (const bool fenced : {true, false}) {
      const auto result = run_mini(
          1,
          [&] {
            if (threadIdx.x == 0) {
              mbarrier_init(barrier_addr(0), 1);
              if (fenced) fence_mbarrier_init();
            }
            __syncthreads();
            if (threadIdx.x == 5) mbarrier_arrive(barrier_addr(0));
          },
          options);
      CHECK(result.reports.empty() == fenced);
    }
  }
}

TEST_CASE("instruction mbarrier_arrive: one arrival, and what came before it is before the wait") {
  for (const auto& options : all_schedules()) {
    int arrived = 0, seen = 0;
    const auto result = run_mini(
        2,
        [&] {
          init_barriers(1, 32);
          if (threadIdx.x < 32) {
            arrived++;
            mbarrier_arrive(barrier_addr(0));
          } else {
            mbarrier_wait_parity(barrier_addr(0), 0);
            seen = arrived;
          }
        },
        options);
    CHECK(result.reports.empty());
    CHECK(seen == 32);
    CHECK(result.counters.mbarrier_arrives == 32);
  }
}

TEST_CASE("instruction mbarrier_arrive_expect_tx: an arrival, and the phase waits for the bytes") {
  const CUtensorMap map = numbered_map();
  for (const auto& options : all_schedules()) {
    for (const uint32_t bytes : {tile_bytes, 2 * tile_bytes}) {
      const auto result = run_mini(
          1,
          [&] {
            init_barriers(1);
            if (threadIdx.x == 0) {
              mbarrier_arrive_expect_tx(barrier_addr(0), bytes);
              cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
            }
            mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      CHECK(result.count(Report::Kind::deadlock) == (bytes > tile_bytes ? 1 : 0));
      CHECK(result.count(Report::Kind::other) == 0);
    }
  }
}

TEST_CASE("instruction mbarrier_wait_parity: behind it the copies of the phase may be read") {
  const CUtensorMap map = numbered_map();
  for (const auto& options : all_schedules()) {
    for (const bool waits : {true, false}) {
      const auto result = run_mini(
          1,
          [&] {
            init_barriers(1);
            copy_tile(map);
            if (waits) mbarrier_wait_parity(barrier_addr(0), 0);
            bf16x2 r[4];
            ldmatrix_m8n8_x4_b16(r[0], r[1], r[2], r[3], row_addr());
            if (!waits) mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      CHECK(result.reports.empty() == waits);
      CHECK((result.count(Report::Kind::raw) > 0) == !waits);
    }
  }
}

// --- TMA and the async proxy

TEST_CASE(
    "instruction cp_async_bulk_tensor_2d: a box from column x, row y; zeros beyond the tensor") {
  const NumberedMatrix matrix(5, 16);
  const CUtensorMap map = matrix.map('A', 4, 8);
  for (const auto& options : all_schedules()) {
    uint16_t landed[4][8] = {};
    const auto result = run_mini(
        1,
        [&] {
          init_barriers(1);
          load_and_wait(map, 0, 0, 0, 8, 2);
          std::memcpy(landed, shared_storage<MiniStorage>().tile[0], sizeof landed);
        },
        options);
    CHECK(result.reports.empty());
    CHECK(result.counters.tma_issues == 1);
    for (uint32_t row = 0; row < 4; row++) {
      for (uint32_t col = 0; col < 8; col++) {
        CHECK(landed[row][col] == (row + 2 < 5 ? NumberedMatrix::bits(row + 2, col + 8) : 0));
      }
    }
  }
}

TEST_CASE(
    "instruction fence_proxy_async_shared_cta: without it no barrier is enough for a refill") {
  for (const auto& options : all_schedules()) {
    const auto fenced = refill(options, [] {
      fence_proxy_async_shared_cta();
      __syncthreads();
    });
    CHECK(fenced.reports.empty());
    CHECK(refill(options, [] { __syncthreads(); }).count(Report::Kind::war) > 0);
  }
}

// --- Threads of a block, lanes of a warp

TEST_CASE("instruction __syncthreads: nobody goes on before all have come") {
  for (const auto& options : all_schedules()) {
    int before = 0, early = 0;
    const auto result = run_mini(
        3,
        [&] {
          before++;
          __syncthreads();
          early += before != 96;
        },
        options);
    CHECK(result.reports.empty());
    CHECK(early == 0);
    CHECK(result.counters.cta_barriers == 1);
  }
}

TEST_CASE("instruction named_barrier_sync: holds back its own threads only") {
  for (const auto& options : all_schedules()) {
    int before = 0, after = 0;
    const auto result = run_mini(
        3,
        [&] {
          if (threadIdx.x >= 64) return;  // warp 2 takes no part
          before++;
          named_barrier_sync(1, 64);
          if (before != 64) after = -1000;
          after++;
        },
        options);
    CHECK(result.reports.empty());
    CHECK(after == 64);
  }
}

TEST_CASE("instruction __syncwarp: what the lanes did is before what any of them does then") {
  for (const auto& options : all_schedules()) {
    for (const bool synced : {true, false}) {
      const auto result = refill(options, [&] {
        fence_proxy_async_shared_cta();
        if (synced) __syncwarp();
      });
      CHECK(result.reports.empty() == synced);
    }
  }
}

TEST_CASE("instruction __threadfence_block: orders nothing for TMA") {
  for (const auto& options : all_schedules()) {
    const auto result = refill(options, [] {
      __threadfence_block();
      __syncthreads();
    });
    CHECK(result.count(Report::Kind::war) > 0);
  }
}

TEST_CASE("instruction elect_sync: true in one lane of each warp, and always in the same one") {
  std::vector<int> elected_lanes;
  for (const auto& options : all_schedules()) {
    std::vector<int> first(3, -1), second(3, -1);
    int elections = 0;
    const auto result = run_mini(
        3,
        [&] {
          const int warp = static_cast<int>(threadIdx.x / 32), lane = threadIdx.x % 32;
          for (std::vector<int>* round : {&first, &second}) {
            if (!elect_sync()) continue;
            elections++;
            (*round)[warp] = lane;
          }
        },
        options);
    CHECK(result.reports.empty());
    CHECK(elections == 6);
    CHECK(first == second);
    elected_lanes.push_back(first[0]);
  }
  // PTX does not say that it is lane 0: in random schedules it is another.
  CHECK(*std::max_element(elected_lanes.begin(), elected_lanes.end()) > 0);
}

TEST_CASE(
    "instruction shfl_sync_idx: every lane of a warp gets the value of the one that it names") {
  for (const auto& options : all_schedules()) {
    int wrong = 0;
    const auto result = run_mini(
        2,
        [&] {
          const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
          wrong += shfl_sync_idx(thread, 5) != 32 * warp + 5;
          wrong += shfl_sync_idx(thread, 31 - thread % 32) != 32 * warp + 31 - thread % 32;
          wrong += shfl_sync_idx(thread, -1) != 32 * warp + 31;  // the low five bits count
        },
        options);
    CHECK(result.reports.empty());
    CHECK(wrong == 0);
  }
}

// --- Fragments

TEST_CASE("instruction ldmatrix_m8n8_x1_b16: one 8x8 matrix, whose rows lanes 0 to 7 name") {
  check_ldmatrix(1, [](bf16x2(&r)[4], uint32_t addr) { ldmatrix_m8n8_x1_b16(r[0], addr); });
}

TEST_CASE("instruction ldmatrix_m8n8_x2_b16: two, whose rows lanes 0 to 15 name") {
  check_ldmatrix(2, [](bf16x2(&r)[4], uint32_t addr) { ldmatrix_m8n8_x2_b16(r[0], r[1], addr); });
}

TEST_CASE("instruction ldmatrix_m8n8_x4_b16: four, whose rows all lanes name") {
  check_ldmatrix(
      4, [](bf16x2(&r)[4], uint32_t addr) { ldmatrix_m8n8_x4_b16(r[0], r[1], r[2], r[3], addr); });
}

TEST_CASE(
    "instruction mma_m16n8k16_row_col_f32_bf16: c0 c1 are row lane/4, c2 c3 eight below, columns "
    "2(lane%4) and next") {
  // A is the identity, so B is added to C: B[n][m] to element (m, n).
  std::vector<bf16> identity(256), b(128);
  for (size_t i = 0; i < 16; i++) identity[i * 16 + i] = to_bf16(1);
  for (size_t n = 0; n < 8; n++) {
    for (size_t k = 0; k < 16; k++) b[n * 16 + k] = to_bf16(static_cast<float>(n * 16 + k));
  }
  NumberedMatrix a_matrix(16, 16), b_matrix(8, 16);
  a_matrix.elements = identity;
  b_matrix.elements = b;
  const CUtensorMap a_map = a_matrix.map('A', 16, 16), b_map = b_matrix.map('B', 8, 16);

  float acc[32][4];
  std::fill(&acc[0][0], &acc[0][0] + 32 * 4, 1000.f);
  const auto result = run_mini(1, [&] {
    init_barriers(2);
    load_and_wait(a_map, 0, 0);
    load_and_wait(b_map, 1, 1);
    const uint32_t lane = threadIdx.x;
    bf16x2 ra[4], rb[2];
    ldmatrix_m8n8_x4_b16(
        ra[0], ra[1], ra[2], ra[3], tile_addr(0) + lane % 16 * 32 + lane / 16 * 16);
    ldmatrix_m8n8_x2_b16(rb[0], rb[1], tile_addr(1) + lane % 8 * 32 + lane / 8 % 2 * 16);
    mma_m16n8k16_row_col_f32_bf16(acc[lane], ra, rb);
  });
  CHECK(result.reports.empty());
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < 4; i++) {
      const int row = (lane >> 2) + (i >= 2 ? 8 : 0);
      const int col = lane % 4 * 2 + i % 2;
      CHECK(acc[lane][i] == static_cast<float>(1000 + col * 16 + row));
    }
  }
}

// --- Global memory

TEST_CASE("instruction store_f32: the element, and no other; an event of the warp") {
  std::vector<emulator::TraceEvent> events;
  emulator::LaunchOptions options;
  options.trace = &events;
  float stored[66] = {};
  run_mini(
      2, [&] { store_f32(stored + 1 + threadIdx.x, static_cast<float>(threadIdx.x + 1)); },
      options);
  for (int i = 0; i < 66; i++) CHECK(stored[i] == (i < 65 ? i : 0));
  CHECK(events.size() == 2);
  for (const auto& event : events) CHECK(std::string(event.kind) == "store");
}

TEST_CASE("instruction store_f32x2: two neighbours; an event of the warp") {
  std::vector<emulator::TraceEvent> events;
  emulator::LaunchOptions options;
  options.trace = &events;
  alignas(8) float stored[66] = {};
  const auto body = [&] {
    const float first = 2 * static_cast<float>(threadIdx.x);
    store_f32x2(stored + 2 * threadIdx.x, first, first + 1);
  };
  run_mini(1, body, options);
  for (int i = 0; i < 66; i++) CHECK(stored[i] == (i < 64 ? i : 0));
  CHECK(events.size() == 1);
}
