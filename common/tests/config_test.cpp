// field(), its overrides, and what GemmConfig derives from the fields.
#include <doctest/doctest.h>

#include <cstdint>

// As make passes it. In a namespace, because the other test files have theirs without overrides.
#undef CONFIG_OVERRIDES
#define CONFIG_OVERRIDES {"BM", 64}, {"K", 4104}, {"warps_per_block_n", 4},
namespace overridden {
#include "../config.h"

struct Fields : FieldDefaults {
  static constexpr int M = field("M", 200);
  static constexpr int N = field("N", 137);
  static constexpr int K = field("K", 64);
  static constexpr int BM = field("BM", 128);
  static constexpr int BN = field("BN", 128);
  static constexpr int BK = field("BK", 64);
  static constexpr int warps_per_block_m = field("warps_per_block_m", 2);
  static constexpr int warps_per_block_n = field("warps_per_block_n", 2);
  static constexpr int producer_warps = 1;
};
using Config = GemmConfig<Fields>;

struct Zeros : Fields {
  static constexpr int BM = 0;
  static constexpr int BK = 0;
  static constexpr int warps_per_block_m = 0;
};
}  // namespace overridden

TEST_CASE("a field that make overrides has the given value, the others their own") {
  using overridden::Config;
  CHECK(Config::BM == 64);
  CHECK(Config::K == 4104);
  CHECK(Config::warps_per_block_n == 4);
  CHECK(Config::M == 200);
  CHECK(Config::BN == 128);
  CHECK(Config::warps_per_block_m == 2);
}

TEST_CASE("a field that a stage does not have has its neutral value") {
  using overridden::Config;
  CHECK(Config::bk_stages == 1);
  CHECK(Config::wk_stages == 1);
  CHECK(Config::group_m == 1);
  CHECK(Config::group_n == 1);
  CHECK(Config::swizzle == 0);
  CHECK(Config::min_blocks_per_sm == 1);
}

TEST_CASE("a config derives tiles, steps and threads from its fields, partial tiles included") {
  using overridden::Config;
  CHECK(Config::WM == 32);
  CHECK(Config::WN == 32);
  CHECK(Config::acc_per_warp_m == 2);
  CHECK(Config::acc_per_warp_n == 4);
  CHECK(Config::GM == 4);
  CHECK(Config::GN == 2);
  CHECK(Config::blocks == 8);
  CHECK(Config::block_k_iters == 65);
  CHECK(Config::warp_k_iters == 4);
  CHECK(Config::consumer_warps == 8);
  CHECK(Config::warps == 9);
  CHECK(Config::threads == 288);
  CHECK(Config::As_bytes == 64 * 64 * 2);
  CHECK(Config::Bs_bytes == 128 * 64 * 2);
}

TEST_CASE("an illegal config still has derived values, so that the rules can speak about it") {
  using Config = overridden::GemmConfig<overridden::Zeros>;
  CHECK(Config::WM == 0);
  CHECK(Config::GM == 0);
  CHECK(Config::block_k_iters == 0);
}
