// The emulator's own behaviour: what TMA and mbarriers do under each schedule, which faults are
// reported, and in which words.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "../support/mini_kernel.h"

using emulator::LandingSchedule;
using emulator::Report;

namespace {

float as_float(uint16_t bits) { return to_float(bf16{bits}); }

}  // namespace

TEST_CASE("elements outside the tensor arrive as zeros, and count as bytes") {
  const NumberedMatrix matrix(5, 8);
  const CUtensorMap map = matrix.map('A', 8, 16);
  for (const auto& options : all_schedules()) {
    uint16_t landed[8][16];
    const auto result = run_mini(
        1,
        [&] {
          init_barriers(1);
          load_and_wait(map, 0, 0, 0, 0, 2);
          if (threadIdx.x == 0) {
            std::memcpy(landed, shared_storage<MiniStorage>().tile[0], sizeof landed);
          }
        },
        options);
    CHECK(result.reports.empty());
    CHECK(result.counters.tma_bytes == sizeof landed);
    for (uint32_t r = 0; r < 8; r++) {
      for (uint32_t c = 0; c < 16; c++) {
        const bool inside = r + 2 < 5 && c < 8;
        CHECK(landed[r][c] == (inside ? NumberedMatrix::bits(r + 2, c) : 0));
      }
    }
  }
}

TEST_CASE("a copy in flight holds NaN: eager lands at issue, lazy when nothing else can run") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  for (const LandingSchedule schedule : {LandingSchedule::eager, LandingSchedule::lazy}) {
    uint16_t at_issue = 0, after_wait = 0;
    const auto result = run_mini(
        1,
        [&] {
          init_barriers(1);
          const auto* first =
              reinterpret_cast<volatile uint16_t*>(shared_storage<MiniStorage>().tile[0]);
          if (threadIdx.x == 0) {
            mbarrier_arrive_expect_tx(barrier_addr(0), 512);
            cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
            at_issue = *first;
          }
          mbarrier_wait_parity(barrier_addr(0), 0);
          after_wait = *first;
        },
        {schedule, 0});
    CHECK(result.reports.empty());
    CHECK(std::isnan(as_float(at_issue)) == (schedule == LandingSchedule::lazy));
    CHECK(after_wait == NumberedMatrix::bits(0, 0));
  }
}

TEST_CASE("shared memory starts as NaN") {
  uint16_t first = 0;
  run_mini(1, [&] { std::memcpy(&first, shared_storage<MiniStorage>().tile[1], 2); });
  CHECK(std::isnan(as_float(first)));
}

TEST_CASE("a block does not see what the block before it left in the shadow of shared memory") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 8, 16);
  const auto result = emulator::launch(33, 32, sizeof(MiniStorage), {}, [&] {
    init_barriers(1);
    if (blockIdx.x < 32) load_and_wait(map, 0, 0, 0, 0, 8);
    float acc[4] = {};
    bf16x2 ra[4], rb[2];
    ldmatrix_m8n8_x4_b16(ra[0], ra[1], ra[2], ra[3], tile_addr(0) + threadIdx.x % 8 * 32);
    if (blockIdx.x == 32) mma_m16n8k16_row_col_f32_bf16(acc, ra, rb);
  });
  CHECK(reports(result, Report::Kind::other, "ra[0] should hold A[0][0]"));
}

TEST_CASE("a seed replays exactly, and seeds differ") {
  auto order_of = [](uint64_t seed) {
    std::vector<unsigned> order;
    run_mini(
        4,
        [&] {
          init_barriers(1);
          for (int i = 0; i < 4; i++) {
            __syncwarp();
            order.push_back(threadIdx.x);
          }
        },
        {LandingSchedule::random, seed});
    return order;
  };
  CHECK(order_of(1) == order_of(1));
  CHECK(order_of(1) != order_of(2));
  CHECK(order_of(2) == order_of(2));
}

TEST_CASE("a barrier in phase 0 counts as having completed a phase of parity 1") {
  const auto result = run_mini(1, [] {
    init_barriers(1);
    mbarrier_wait_parity(barrier_addr(0), 1);
  });
  CHECK(result.reports.empty());
}

TEST_CASE("a phase completes when all arrivals are made and all bytes have landed") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  for (const auto& options : all_schedules()) {
    int order = 0, last_arrival = 0, first_return = 1000;
    const auto result = run_mini(
        2,
        [&] {
          init_barriers(1, 33);  // the 32 lanes of warp 1, and the announcement
          if (threadIdx.x == 0) {
            mbarrier_arrive_expect_tx(barrier_addr(0), 512);
            cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
          }
          if (threadIdx.x >= 32) {
            last_arrival = ++order;
            mbarrier_arrive(barrier_addr(0));
          }
          mbarrier_wait_parity(barrier_addr(0), 0);
          const int now = ++order;
          if (now < first_return) first_return = now;
        },
        options);
    CHECK(result.reports.empty());
    CHECK(last_arrival < first_return);
  }
}

TEST_CASE(
    "an election orders nothing: what a lane wrote before is not ordered before the elected") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  for (const auto& options : all_schedules()) {
    const auto result = run_mini(
        1,
        [&] {
          init_barriers(1);
          const auto copy = [&] {
            mbarrier_arrive_expect_tx(barrier_addr(0), 512);
            cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
          };
          if (elect_sync()) copy();
          mbarrier_wait_parity(barrier_addr(0), 0);
          bf16x2 r0, r1, r2, r3;
          ldmatrix_m8n8_x4_b16(r0, r1, r2, r3, tile_addr(0) + threadIdx.x * 16);
          fence_proxy_async_shared_cta();
          if (elect_sync()) copy();  // no __syncwarp(): the other lanes' reads are not before it
          mbarrier_wait_parity(barrier_addr(0), 1);
        },
        options);
    CHECK(result.count(Report::Kind::war) > 0);
  }
}

TEST_CASE("a copy counts on bytes that its thread announced, or that are ordered before it") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  for (const auto& options : all_schedules()) {
    for (const bool ordered : {false, true}) {
      const auto result = run_mini(
          2,
          [&] {
            init_barriers(1);
            if (threadIdx.x == 40) mbarrier_arrive_expect_tx(barrier_addr(0), 512);
            if (ordered) __syncthreads();
            if (threadIdx.x == 3) {
              cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
            }
            mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      CHECK(result.reports.empty() == ordered);
    }
    // In one warp, an election between the two is no order.
    const auto elected = run_mini(
        1,
        [&] {
          init_barriers(1);
          if (threadIdx.x == 20) mbarrier_arrive_expect_tx(barrier_addr(0), 512);
          if (elect_sync()) cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
          mbarrier_wait_parity(barrier_addr(0), 0);
        },
        options);
    CHECK(elected.count(Report::Kind::other) > 0);
  }
}

TEST_CASE("eager and lazy elect different lanes") {
  int lanes[2] = {-1, -1};
  const LandingSchedule schedules[] = {LandingSchedule::eager, LandingSchedule::lazy};
  for (int i = 0; i < 2; i++) {
    run_mini(
        1,
        [&] {
          if (elect_sync()) lanes[i] = static_cast<int>(threadIdx.x);
        },
        {schedules[i], 0});
  }
  CHECK(lanes[0] == 0);
  CHECK(lanes[1] == 31);
}

TEST_CASE("an election that not all lanes come to is a divergence") {
  const auto result = run_mini(1, [] {
    if (threadIdx.x < 31) elect_sync();
  });
  CHECK(reports(result, Report::Kind::other, "returned from the kernel while lanes"));
  const auto shuffled = run_mini(1, [] {
    if (threadIdx.x < 31) {
      elect_sync();
    } else {
      shfl_sync_idx(0, 0);
    }
  });
  CHECK(reports(shuffled, Report::Kind::other, "shfl.sync"));
  // The same line of two files is not the same instruction.
  const auto files = run_mini(1, [] {
    elect_sync(threadIdx.x < 16 ? CallSite{"a.h", 60} : CallSite{"b.h", 60});
  });
  CHECK(reports(files, Report::Kind::other, "a.h:60"));
  // Lanes that wait elsewhere: the report names the instruction.
  const auto stuck = run_mini(1, [] {
    if (threadIdx.x < 16) elect_sync();
    __syncthreads();
  });
  CHECK(reports(stuck, Report::Kind::deadlock, "in elect.sync at "));
  CHECK(reports(stuck, Report::Kind::deadlock, "docs/emulator.md#divergence"));
}

// --- Faults --------------------------------------------------------------------------------------

TEST_CASE("deadlock: the report says per warp where it waits, for which parity, and for what") {
  const auto result = run_mini(2, [] {
    init_barriers(1, 2);
    if (threadIdx.x == 0) mbarrier_arrive(barrier_addr(0));
    mbarrier_wait_parity(barrier_addr(0), 0);
  });
  CHECK(result.count(Report::Kind::deadlock) == 1);
  CHECK(reports(result, Report::Kind::deadlock, "warp 1, lanes 0 to 31: at "));
  CHECK(reports(result, Report::Kind::deadlock, "for parity 0 of the mbarrier initialised at "));
  CHECK(reports(result, Report::Kind::deadlock, "pending 1 of 2 arrivals"));
}

TEST_CASE("deadlock: a named barrier for more threads than come is named, with both counts") {
  const auto result = run_mini(2, [] {
    if (threadIdx.x < 32) named_barrier_sync(1, 64);
  });
  CHECK(reports(result, Report::Kind::deadlock, "32 of 64 threads have come"));
  CHECK(reports(result, Report::Kind::deadlock, "named barrier 1 is for 64 threads"));
}

TEST_CASE("deadlock: bytes that nobody copies are named as the cause") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  const auto result = run_mini(1, [&] {
    init_barriers(1);
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect_tx(barrier_addr(0), 1024);
      cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
    }
    mbarrier_wait_parity(barrier_addr(0), 0);
  });
  CHECK(reports(result, Report::Kind::deadlock, "expected 1024 bytes, landed 512 bytes"));
  CHECK(reports(result, Report::Kind::deadlock, "announced 1024 bytes, the copies bring 512"));
}

TEST_CASE("a warp instruction that half a warp reaches is a divergence") {
  const auto result = run_mini(1, [] {
    float acc[4] = {};
    bf16x2 ra[4], rb[2];
    if (threadIdx.x < 16) mma_m16n8k16_row_col_f32_bf16(acc, ra, rb);
    __syncwarp();
  });
  CHECK(reports(result, Report::Kind::other, "Divergent warp"));
  CHECK(reports(result, Report::Kind::other, "fragments_test.cpp") == false);
  CHECK(reports(result, Report::Kind::other, "emulator_test.cpp:"));
}

TEST_CASE("fragments that no ldmatrix wrote do not pass for operands") {
  const auto result = run_mini(1, [] {
    float acc[4] = {};
    bf16x2 ra[4], rb[2];
    mma_m16n8k16_row_col_f32_bf16(acc, ra, rb);
  });
  CHECK(reports(result, Report::Kind::other, "no ldmatrix of a landed tile wrote it"));
}

TEST_CASE("a TMA destination must be aligned to the swizzle's atom") {
  for (const int swizzle : {0, 32, 64, 128}) {
    const uint32_t cols = swizzle == 0 ? 16 : static_cast<uint32_t>(swizzle) / 2;
    const NumberedMatrix matrix(8, cols);
    const CUtensorMap map = matrix.map('A', 8, cols, swizzle);
    for (const bool aligned : {true, false}) {
      const uint32_t atom = swizzle == 0 ? 128 : 8 * static_cast<uint32_t>(swizzle);
      const auto result = run_mini(1, [&] {
        init_barriers(1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(barrier_addr(0), 16 * cols);
          const uint32_t offset = aligned ? atom : atom / 2;
          cp_async_bulk_tensor_2d(tile_addr(0) + offset, &map, 0, 0, barrier_addr(0));
        }
        mbarrier_wait_parity(barrier_addr(0), 0);
      });
      CHECK(result.reports.empty() == aligned);
      if (!aligned) {
        CHECK(reports(result, Report::Kind::other, std::to_string(atom) + "-byte aligned"));
      }
    }
  }
}

TEST_CASE("a copy that nobody waits for is reported when the block ends, whenever it lands") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  for (const auto& options : all_schedules()) {
    for (const bool waits : {true, false}) {
      const auto result = run_mini(
          1,
          [&] {
            init_barriers(1);
            if (threadIdx.x == 0) {
              mbarrier_arrive_expect_tx(barrier_addr(0), 512);
              cp_async_bulk_tensor_2d(tile_addr(0), &map, 0, 0, barrier_addr(0));
            }
            if (waits) mbarrier_wait_parity(barrier_addr(0), 0);
          },
          options);
      CHECK(result.reports.empty() == waits);
      CHECK(reports(result, Report::Kind::other, "Overlap (rule 3)") == !waits);
    }
  }
}

TEST_CASE("ldmatrix outside shared memory, or off a 16-byte boundary, is reported") {
  for (const uint32_t addr : {0u, 1024u + 8u, 1024u + 1024u * 1024u}) {
    const auto result = run_mini(1, [&] {
      bf16x2 r;
      ldmatrix_m8n8_x1_b16(r, addr);
    });
    CHECK(reports(result, Report::Kind::other, "Bad address"));
  }
}

TEST_CASE("a kernel whose storage is larger than its launch is stopped") {
  const auto result = emulator::launch(1, 32, 1024, {}, [] { shared_storage<MiniStorage>(); });
  CHECK(reports(result, Report::Kind::other, "launched with 1024"));
}

TEST_CASE("a misuse of an instruction is reported in its own words") {
  const NumberedMatrix matrix(16, 16);
  const CUtensorMap map = matrix.map('A', 16, 16);
  const auto is_first = [] { return threadIdx.x == 0; };
  const auto in_warp_0 = [] { return threadIdx.x < 32; };
  const struct {
    const char* words;
    std::function<void()> kernel;
  } faults[] = {
      {"returned from the kernel while 32 threads wait at __syncthreads()",
       [&] { in_warp_0() ? __syncthreads() : void(); }},
      {"the id is 1 to 15", [] { named_barrier_sync(16, 64); }},
      {"whole warps of the block's 64 threads", [] { named_barrier_sync(1, 96); }},
      {"for 32 threads; others wait at it for 64",
       [&] { named_barrier_sync(1, in_warp_0() ? 64 : 32); }},
      {"models it for all 32 lanes only", [] { __syncwarp(1); }},
      {"is outside the block's shared memory, or not 8-byte aligned",
       [] { mbarrier_init(barrier_addr(0) + 4, 1); }},
      {"0 arrivals; a barrier counts 1 to", [] { mbarrier_init(barrier_addr(0), 0); }},
      {"is initialised again", [] { mbarrier_init(barrier_addr(0), 1); }},
      {"follows 64 mbarriers a block",
       [] {
         for (uint32_t i = 0; i < 65; i++) mbarrier_init(tile_addr(0) + 8 * i, 1);
       }},
      {"writes into bytes that a TMA copy fills",
       [&] {
         init_barriers(1);
         load_and_wait(map, 0, 0);
         mbarrier_init(tile_addr(0), 1);
       }},
      {"was never initialised", [] { mbarrier_arrive(barrier_addr(0)); }},
      {"arrivals of phase 0 have been made",
       [&] {
         init_barriers(1, 2);
         if (is_first()) mbarrier_arrive_expect_tx(barrier_addr(0), 512);
         if (is_first()) mbarrier_arrive(barrier_addr(0));
         if (is_first()) mbarrier_arrive(barrier_addr(0));
       }},
      {"to 1048576 bytes; it holds at most 1048575",
       [] {
         init_barriers(1, 64);
         mbarrier_arrive_expect_tx(barrier_addr(0), 1 << 20);
       }},
      {"still expects 512 bytes",
       [&] {
         init_barriers(1);
         if (is_first()) mbarrier_arrive_expect_tx(barrier_addr(0), 512);
       }},
      {"it ends outside the block's 33792 bytes",
       [&] {
         init_barriers(1);
         cp_async_bulk_tensor_2d(tile_addr(2) + 896, &map, 0, 0, barrier_addr(0));
       }},
  };
  for (const auto& fault : faults) {
    CAPTURE(std::string(fault.words));
    const auto result = run_mini(2, fault.kernel);
    CHECK(reports(result, Report::Kind::other, fault.words));
  }
}

// --- Blocks that are stopped ---------------------------------------------------------------------

namespace {

// What a kernel may own: memory, and something whose end can be seen.
struct Owner {
  explicit Owner(int& alive) : alive_(alive), memory_(1000) { alive_++; }
  ~Owner() { alive_--; }
  int& alive_;
  std::vector<int> memory_;
};

// Blocks of four warps whose threads own something where they call `stuck`; how many owners are
// born, and how many are still alive afterwards.
struct Owners {
  int born = 0, alive = 0, returned = 0;
  emulator::LaunchResult result;
};
Owners run_owners(const emulator::LaunchOptions& options, const std::function<void()>& stuck) {
  Owners owners;
  const auto body = [&] {
    init_barriers(1);
    owners.born++;
    const Owner outer(owners.alive);
    [&] {
      const Owner inner(owners.alive);
      stuck();
    }();
    owners.returned++;
  };
  owners.result = emulator::launch(1, 128, sizeof(MiniStorage), options, body);
  return owners;
}

}  // namespace

TEST_CASE("a deadlock leaves nothing behind of what the threads own") {
  for (const auto& options : all_schedules()) {
    const Owners owners = run_owners(options, [] { mbarrier_wait_parity(barrier_addr(0), 0); });
    CHECK(owners.result.count(Report::Kind::deadlock) == 1);
    CHECK(owners.born == 128);
    CHECK(owners.returned == 0);
    CHECK(owners.alive == 0);
  }
}

TEST_CASE("a report that stops the block leaves nothing behind of what the threads own") {
  const std::function<void()> faults[] = {
      [] { __syncwarp(threadIdx.x == 70 ? 1 : 0xffffffffu); },
      [] { named_barrier_sync(threadIdx.x == 70 ? 16 : 1, 128); },
      [] {
        if (threadIdx.x < 90) __syncthreads();
      },
  };
  for (const auto& fault : faults) {
    for (const auto& options : all_schedules()) {
      const Owners owners = run_owners(options, fault);
      CHECK(owners.result.count(Report::Kind::other) == 1);
      CHECK(owners.alive == 0);
    }
  }
}

TEST_CASE("a destructor may call an instruction while its block ends: it is not done any more") {
  struct Arrival {
    ~Arrival() {
      mbarrier_arrive(barrier_addr(0));
      __syncwarp();
      mbarrier_wait_parity(barrier_addr(0), 0);
      elect_sync();
    }
  };
  for (const auto& options : all_schedules()) {
    const Owners owners = run_owners(options, [] {
      const Arrival arrival;
      named_barrier_sync(1, 96);
      named_barrier_sync(2, 128);
    });
    CHECK(owners.result.count(Report::Kind::deadlock) == 1);
    CHECK(owners.alive == 0);
  }
}

TEST_CASE("a thread that has not begun when its block ends never begins") {
  int begun = 0;
  const auto result = run_mini(2, [&] {
    begun++;
    mbarrier_init(barrier_addr(0), 0);  // no such count: the first thread stops the block
  });
  CHECK(result.count(Report::Kind::other) == 1);
  CHECK(begun == 1);
}

TEST_CASE("the block after one that was stopped runs as if nothing had been") {
  const auto body = [] {
    if (blockIdx.x % 2 == 0) {
      init_barriers(1);
      mbarrier_wait_parity(barrier_addr(0), 0);
    } else {
      __syncthreads();
    }
  };
  const auto result = emulator::launch(8, 64, sizeof(MiniStorage), {}, body);
  CHECK(result.count(Report::Kind::deadlock) == 4);
  CHECK(result.reports.size() == 1);
  CHECK(result.counters.cta_barriers == 8);
}
