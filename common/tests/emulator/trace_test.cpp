// What the emulator records for timelines and for `make compare`: order, and bytes in flight.
#include <map>

#include "../../smem_swizzle.h"
#include "../support/mini_kernel.h"

using emulator::LandingSchedule;
using emulator::TraceEvent;

namespace {

// Two tiles of A are copied, and a third of B; one is read and multiplied while the others fly.
constexpr uint32_t tile_bytes = 16 * 16 * sizeof(bf16);

struct Traced {
  emulator::LaunchResult result;
  std::vector<TraceEvent> events;
};

// Copies A's and B's tile of k-tile 0 and A's of k-tile 1, waits for the first two only, and
// multiplies them. The last copy is waited for at the end.
Traced run_traced(LandingSchedule schedule) {
  static const NumberedMatrix A(16, 32), B(16, 32);
  const CUtensorMap a_map = A.map('A', 16, 16), b_map = B.map('B', 16, 16);
  Traced traced;
  emulator::LaunchOptions options;
  options.schedule = schedule;
  options.trace = &traced.events;
  traced.result = run_mini(
      1,
      [&] {
        init_barriers(2);
        const uint32_t first = tile_addr(0), second = tile_addr(1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(barrier_addr(0), 2 * tile_bytes);
          cp_async_bulk_tensor_2d(first, &a_map, 0, 0, barrier_addr(0));
          cp_async_bulk_tensor_2d(first + 1024, &b_map, 0, 0, barrier_addr(0));
          mbarrier_arrive_expect_tx(barrier_addr(1), tile_bytes);
          cp_async_bulk_tensor_2d(second, &a_map, 16, 0, barrier_addr(1));
        }
        mbarrier_wait_parity(barrier_addr(0), 0);
        const uint32_t lane = threadIdx.x;
        bf16x2 ra[4], rb[2];
        float acc[4] = {};
        const uint32_t a_row = first + lane % 16 * 32 + lane / 16 * 16;
        ldmatrix_m8n8_x4_b16(ra[0], ra[1], ra[2], ra[3], a_row);
        ldmatrix_m8n8_x2_b16(rb[0], rb[1], first + 1024 + lane % 8 * 32 + lane / 8 % 2 * 16);
        mma_m16n8k16_row_col_f32_bf16(acc, ra, rb);
        mbarrier_wait_parity(barrier_addr(1), 0);
      },
      options);
  CHECK(traced.result.reports.empty());
  return traced;
}

int count(const std::vector<TraceEvent>& events, const std::string& kind) {
  int found = 0;
  for (const TraceEvent& event : events) found += kind == event.kind;
  return found;
}

}  // namespace

TEST_CASE("bytes in flight are counted from issue to landing, for each mma that runs meanwhile") {
  // lazy: the copies that the mma waits for have landed, the other one has not.
  CHECK(run_traced(LandingSchedule::lazy).result.counters.mma_bytes_in_flight == tile_bytes);
  CHECK(run_traced(LandingSchedule::eager).result.counters.mma_bytes_in_flight == 0);
}

TEST_CASE("a trace has every event, under every schedule") {
  for (const LandingSchedule schedule :
       {LandingSchedule::eager, LandingSchedule::lazy, LandingSchedule::random}) {
    const std::vector<TraceEvent> events = run_traced(schedule).events;
    CHECK(count(events, "tma_issue") == 3);
    CHECK(count(events, "tma_land") == 3);
    CHECK(count(events, "ldmatrix") == 2);
    CHECK(count(events, "mma") == 1);
    CHECK(count(events, "wait") == 2);
    CHECK(count(events, "arrive") == 2);
  }
}

TEST_CASE("a trace names operand, buffer, k-tile and k of a copy, at its issue and its landing") {
  for (const TraceEvent& event : run_traced(LandingSchedule::lazy).events) {
    if (std::string(event.kind).rfind("tma_", 0) != 0) continue;
    CAPTURE(event.kind);
    CHECK((event.operand == 'A' || event.operand == 'B'));
    CHECK(event.buffer == (event.k_tile == 1 ? 1 : 0));
    CHECK(event.k == 16 * event.k_tile);
  }
}

TEST_CASE("a trace is an order: each event is deeper than those it had to wait for") {
  for (const LandingSchedule schedule :
       {LandingSchedule::eager, LandingSchedule::lazy, LandingSchedule::random}) {
    uint32_t last = 0, issued = 0, landed = 0;
    std::map<std::string, uint32_t> first_of;
    for (const TraceEvent& event : run_traced(schedule).events) {
      const std::string kind = event.kind;
      if (kind == "tma_issue" && event.k_tile == 0) issued = std::max(issued, event.depth);
      if (kind == "tma_land" && event.k_tile == 0) landed = std::max(landed, event.depth);
      first_of.emplace(kind, event.depth);
      if (kind == "tma_land") continue;  // on TMA's account, not the warp's
      CHECK(event.depth > last);
      last = event.depth;
    }
    CHECK(landed > issued);
    CHECK(first_of["wait"] > landed);
    CHECK(first_of["ldmatrix"] > first_of["wait"]);
    CHECK(first_of["mma"] > first_of["ldmatrix"]);
  }
}
