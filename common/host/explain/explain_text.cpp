#include <algorithm>

#include "../support/text.h"
#include "explain.h"

namespace {

constexpr const char* unknown = "-";

std::string count(double value) {
  return with_commas(static_cast<unsigned long long>(value + 0.5));
}

std::string percent(double share) { return format("%.1f %%", 100 * share); }

// A card, what was predicted for it, and what it was predicted with.
struct Column {
  Card card;
  KernelModel kernel;
  bool registers_known;
  Prediction p;

  bool runs() const { return p.violation.rule == ConfigRule::none; }
};

Column make_column(
    const ConfigDescription& config,
    const Card& card,
    const std::optional<int>& registers) {
  Column column = {card, {}, registers.has_value(), {}};
  column.kernel.values = config;
  column.kernel.registers = registers.value_or(estimated_registers(column.kernel.values));
  column.kernel.tile_of_block = config.tile_of_block;
  column.p = predict(column.kernel, card, card.clock_mhz);
  return column;
}

// A line of the table: what, and a value for each card.
std::string row(
    const char* what,
    const std::vector<Column>& columns,
    const std::function<std::string(const Column&)>& value) {
  std::string line = format("  %-44s", what);
  for (const Column& column : columns) {
    line += format(" %13s", column.runs() ? value(column).c_str() : unknown);
  }
  return line + "\n";
}

std::string short_name(const Card& card) {
  const std::string maker = "NVIDIA ";
  return card.name.rfind(maker, 0) == 0 ? card.name.substr(maker.size()) : card.name;
}

std::string heading(const std::vector<Column>& columns) {
  std::string line = format("  %-44s", "");
  for (const Column& column : columns) {
    line += format(" %13.13s", short_name(column.card).c_str());
  }
  return line + "\n";
}

std::string work_rows(const std::vector<Column>& columns) {
  return " one k-tile of a block\n" +
         row("mma.sync, warp instructions", columns,
             [](const Column& c) { return count(c.p.work.mma); }) +
         row("ldmatrix.x4, warp instructions", columns,
             [](const Column& c) { return count(c.p.work.ldmatrix); }) +
         row("wavefronts of shared memory: ldmatrix", columns,
             [](const Column& c) { return count(c.p.work.read_wavefronts); }) +
         row("wavefronts of shared memory: TMA", columns,
             [](const Column& c) { return count(c.p.work.write_wavefronts); }) +
         row("bytes from the L2", columns,
             [](const Column& c) { return count(c.p.work.l2_bytes); }) +
         row("bytes to and from DRAM, its share", columns,
             [](const Column& c) { return count(c.p.dram_bytes); });
}

std::string pipe_rows(const std::vector<Column>& columns) {
  return " SM clocks per k-tile of a block\n" +
         row("tensor cores at work", columns,
             [](const Column& c) { return count(c.p.pipes.tensor); }) +
         row("shared memory at work", columns,
             [](const Column& c) { return count(c.p.pipes.shared_memory); }) +
         row("L2 at work for this SM", columns,
             [](const Column& c) { return count(c.p.pipes.l2); }) +
         row("DRAM at work for this SM", columns,
             [](const Column& c) { return count(c.p.pipes.dram); }) +
         row("block alone: TMA, order to last byte", columns,
             [](const Column& c) { return count(c.p.alone.load); }) +
         row("block alone: ldmatrix and mma", columns,
             [](const Column& c) { return count(c.p.alone.compute); }) +
         row("block alone: in all", columns,
             [](const Column& c) { return count(c.p.alone.per_tile); }) +
         row("with all blocks of the SM", columns,
             [](const Column& c) { return count(c.p.tile_cycles); });
}

std::string sm_rows(const std::vector<Column>& columns) {
  return " the SM and the grid\n" +
         row("registers per thread (~ estimated)", columns,
             [](const Column& c) {
               return format("%s%d", c.registers_known ? "" : "~", c.kernel.registers);
             }) +
         row("blocks per SM (warps)", columns,
             [](const Column& c) { return format("%d (%d)", c.p.sm.blocks, c.p.sm.warps); }) +
         row("waves of blocks", columns,
             [](const Column& c) { return format("%.2f", c.p.waves); }) +
         row("all SMs at work (the rest is tail)", columns,
             [](const Column& c) { return percent(c.p.tail); });
}

std::string article_value(const Column& c, const ConfigDescription& config) {
  const int stage = config.stage.size() > 1 ? config.stage[1] - '0' : -1;
  const bool its_size = config.M == 8192 && config.N == 8192 && config.K == 8192;
  if (stage < 0 || stage > 3 || !its_size) return unknown;
  const double tflops = c.card.article_tflops[stage];
  return tflops > 0 ? format("%.1f", tflops) : std::string(unknown);
}

std::string result_rows(const std::vector<Column>& columns, const ConfigDescription& config) {
  return " prediction\n" + row("held by", columns, [](const Column& c) { return c.p.bound; }) +
         row("tensor cores at work, of all clocks", columns,
             [](const Column& c) { return percent(c.p.tensor_share); }) +
         row("SM clock, MHz (its maker's figure)", columns,
             [](const Column& c) { return format("%.0f", c.card.clock_mhz); }) +
         row("TFLOP/s at this clock", columns,
             [](const Column& c) { return format("%.1f", c.p.tflops); }) +
         row("TFLOP/s of mma.sync alone at this clock", columns,
             [](const Column& c) {
               return format(
                   "%.1f",
                   c.card.mma_flops_per_clk * c.card.sm_count * c.card.clock_mhz * 1e6 * 1e-12);
             }) +
         row("TFLOP/s that the article gives *", columns,
             [&](const Column& c) { return article_value(c, config); });
}

std::string refusals(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    if (column.runs()) continue;
    text += format(
        "  %s cannot run this config: %s\n", column.card.name.c_str(),
        sentence_of(column.p.violation).text);
  }
  return text;
}

// A grid that leaves SMs idle says little about a kernel.
std::string small_problem_note(const ConfigDescription& config) {
  int most = 0;
  for (const Card& card : known_cards()) most = std::max(most, card.sm_count);
  if (config.blocks() >= most) return "";
  return format(
      "  %s %s SMs idle; a larger problem says more about the kernel: make %.2s M=8192 "
      "N=8192 K=8192\n",
      with_commas(static_cast<unsigned long long>(config.blocks())).c_str(),
      config.blocks() == 1 ? "block leaves" : "blocks leave", config.stage.c_str());
}

// FLOP per clock and SM that mma.sync reached on registers alone; nothing without a clock.
std::optional<double> measured_mma_flops(const Device& device, const Benchmark& measured) {
  if (!measured.mma_peak.clock_mhz) return std::nullopt;
  return measured.mma_peak.speed.median * 1e12 /
         (device.sm_count * *measured.mma_peak.clock_mhz * 1e6);
}

// The device as far as it can be known without a table.
std::optional<Card> unlisted_card(const Device& device, const Benchmark& measured) {
  const std::optional<double> mma_flops = measured_mma_flops(device, measured);
  if (!mma_flops || !measured.stage.clock_mhz) return std::nullopt;
  Card card = {};
  card.name = device.name;
  card.arch = std::stoi(device.arch.substr(3));
  card.sm_count = device.sm_count;
  card.clock_mhz = *measured.stage.clock_mhz;
  card.mma_flops_per_clk = *mma_flops;
  card.l2_bytes = static_cast<double>(device.l2_bytes);
  card.l2_port_bytes_per_clk = known_cards().back().l2_port_bytes_per_clk;
  return card;
}

}  // namespace

std::string explain_text(const ConfigDescription& config, const Device* device) {
  const Card* at_hand = device ? find_card(device->name, device->sm_count) : nullptr;
  std::vector<Column> columns;
  for (const Card& card : known_cards()) {
    const bool is_here = &card == at_hand;
    columns.push_back(make_column(config, card, is_here ? device->registers : std::nullopt));
  }
  return "explain        predicted and not measured; docs/explain.md derives each line\n" +
         heading(columns) + work_rows(columns) + pipe_rows(columns) + sm_rows(columns) +
         result_rows(columns, config) +
         "  * for its kernels; it gives neither their configs nor clock and power, so this is no "
         "target\n" +
         refusals(columns) + small_problem_note(config);
}

std::string explain_measured_text(
    const ConfigDescription& config,
    const Device& device,
    const Benchmark& measured) {
  const Card* listed = find_card(device.name, device.sm_count);
  const std::optional<Card> card = listed ? *listed : unlisted_card(device, measured);
  const double tflops = measured.stage.speed.median;
  if (!card) return format("explain        measured %.1f TFLOP/s at an unknown clock\n", tflops);

  const double clock = measured.stage.clock_mhz.value_or(card->clock_mhz);
  Column column = make_column(config, *card, device.registers);
  column.p = predict(column.kernel, *card, clock);
  std::string text = format(
      "explain        measured %.1f TFLOP/s; predicted for %.0f MHz%s %.1f (%+.1f %%)\n", tflops,
      clock, measured.stage.clock_mhz ? "" : " (its maker's figure)", column.p.tflops,
      100 * (column.p.tflops / tflops - 1));
  text += format(
      "  SM clocks per k-tile of a block: measured %s, predicted %s\n",
      count(column.p.tile_cycles * column.p.tflops / tflops).c_str(),
      count(column.p.tile_cycles).c_str());
  if (const auto mma_flops = measured_mma_flops(device, measured)) {
    text += format(
        "  mma.sync alone did %.0f FLOP per clock and SM at %.0f MHz; the model has %.0f\n",
        *mma_flops, *measured.mma_peak.clock_mhz, card->mma_flops_per_clk);
  }
  return text;
}
