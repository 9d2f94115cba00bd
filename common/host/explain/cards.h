// The GPUs that `--explain` and the tuner know: what their maker says of them, and the speed of
// mma.sync.
#pragma once

#include <string>
#include <vector>

struct Card {
  std::string name;  // part of the name that the driver gives it
  std::string file;  // its name in file names: presets, plots/data
  int arch;          // 120 is sm_120
  int sm_count;
  double clock_mhz;              // the highest (H200) or the boost clock that its maker names
  double mma_flops_per_clk;      // of mma.sync with bf16 operands and fp32 sums, per SM
  double l2_bytes;               // capacity
  double l2_bytes_per_clk;       // what all its slices deliver; 0: not known
  double l2_port_bytes_per_clk;  // what an SM takes from it
  double dram_bytes_per_s;       // 0: not known
  double article_tflops[4];      // the article's stages 00 to 03 at 8192^3; 0: none
  double article_torch;          // torch.matmul on the same card, in the same article
};

// The built-in cards; docs/explain.md says where each number comes from.
const std::vector<Card>& known_cards();

// The known card whose name is part of `name` and that has as many SMs; nullptr if there is none.
const Card* find_card(const std::string& name, int sm_count);

// `name` as the driver gives it, for file names: that of the known card, else in lower case and
// without the maker: "NVIDIA GeForce RTX 5080" is "rtx_5080".
std::string card_file_name(const std::string& name);
