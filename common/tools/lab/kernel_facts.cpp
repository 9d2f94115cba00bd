// What `make sass` has to know of a config to read its machine code. Prints three numbers: mma of a
// warp in a k-step, k-steps of a tile, and k-steps that stand in the source before the barrier
// after which a tile's buffer is filled again. make includes the stage's config.h before this file.
#include <cstdio>

int main() {
  const int ahead = Config::wk_stages - 1;  // k-steps that are multiplied after the barrier
  std::printf(
      "%d %d %d\n", Config::acc_per_warp_m * Config::acc_per_warp_n, Config::warp_k_iters,
      Config::warp_k_iters - ahead);
}
