// What the model behind --explain says of rows of plots/data/<card>.csv: reads, from standard
// input, lines of
//   DEVICE;SMS;PRODUCER_WARPS;REGISTERS;SMEM_BYTES;CLOCK_MHZ;M=8192 N=8192 ...
// and prints for each the predicted TFLOP/s at that clock and what holds the kernel,
// "TFLOPS;BOUND", or an empty line for a card that the model does not know and for a row that it
// can make nothing of.
//
// Host only; plots/predictions.py builds and calls it.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <vector>

#include "../common/block_swizzle.h"
#include "../common/host/explain/explain.h"

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream rest(line);
  for (std::string part; std::getline(rest, part, ';');) parts.push_back(part);
  return parts;
}

// The order in which blocks take the tiles: by block_swizzle where a config has its fields.
TilePosition tile_of(const ConfigValues& v, bool row_by_row, int block) {
  const int GM = static_cast<int>(v.GM()), GN = static_cast<int>(v.GN());
  if (row_by_row) return {block / GN, block % GN};
  const TileCoord tile =
      block_swizzle(block, GM, GN, static_cast<int>(v.group_m), static_cast<int>(v.group_n));
  return {tile.m, tile.n};
}

// "TFLOPS;BOUND", or "".
std::string prediction_text(const std::vector<std::string>& row) {
  if (row.size() != 7) return "";
  for (const std::string& part : row) {
    if (part.empty()) return "";
  }
  const Card* const card = find_card(row.at(0), std::atoi(row.at(1).c_str()));
  if (card == nullptr) return "";
  const bool row_by_row = row.at(6).find("group_m=") == std::string::npos;
  KernelModel kernel;
  kernel.registers = std::atoi(row.at(3).c_str());
  kernel.values.smem_bytes = std::atoll(row.at(4).c_str());
  kernel.values.producer_warps = std::atoi(row.at(2).c_str());
  const std::string fault = read_config_line(row.at(6), all_fields(), kernel.values);
  if (!fault.empty()) return "";
  const ConfigValues values = kernel.values;
  kernel.tile_of_block = [=](int block) { return tile_of(values, row_by_row, block); };
  const Prediction p = predict(kernel, *card, std::atof(row.at(5).c_str()));
  if (p.violation.rule != ConfigRule::none) return "";
  char text[100];
  std::snprintf(text, sizeof text, "%.6g;%s", p.tflops, p.bound.c_str());
  return text;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::printf("%s\n", prediction_text(split(line)).c_str());
  }
  return 0;
}
