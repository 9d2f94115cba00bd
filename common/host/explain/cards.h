// The GPUs that `--explain` and the tuner know: what their maker says of them, and the speed of
// mma.sync.
#pragma once

#include <map>
#include <string>
#include <vector>

// What the article says of a kernel at M = N = K = 8192.
struct ArticleFigure {
  double tflops;
  std::string versus_torch;  // as it prints it, "+4.1 %"; it does not follow from tflops
};

struct Card {
  std::string name;  // part of the name that the driver gives it
  std::string file;  // its name in file names: presets, plots/data
  int arch = 0;      // 120 is sm_120
  int sm_count = 0;
  double clock_mhz = 0;               // the highest (H200) or the boost clock that its maker names
  double mma_flops_per_clk = 0;       // of mma.sync with bf16 operands and fp32 sums, per SM
  double l2_bytes = 0;                // capacity
  double l2_bytes_per_clk = 0;        // what all its slices deliver; 0: not known
  double l2_port_bytes_per_clk = 64;  // what an SM takes from it, if nobody measured more
  double dram_bytes_per_s = 0;
  std::map<std::string, ArticleFigure> article;  // by the name of the stage
  double article_torch = 0;                      // torch.matmul in the same article; 0: none
};

// Throws Refusal where a card lacks what a prediction needs, or is of an arch without a row.
void refuse_if_incomplete(const Card& card);

// The built-in cards, of cards.inc. Throws Refusal where a row lacks what a prediction needs.
const std::vector<Card>& known_cards();

// The known card whose name is part of `name` and that has as many SMs; nullptr if there is none.
const Card* find_card(const std::string& name, int sm_count);

// `name` as the driver gives it, for file names: that of the known card, else in lower case and
// without the maker: "NVIDIA GeForce RTX 5080" is "rtx_5080".
std::string card_file_name(const std::string& name);
