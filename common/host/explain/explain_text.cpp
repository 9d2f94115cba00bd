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
struct Row {
  const char* what;
  std::function<std::string(const Column&)> value;
};

std::string rows_text(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += format("  %-44s", row.what);
    for (const Column& column : columns) {
      text += format(" %13s", column.runs() ? row.value(column).c_str() : unknown);
    }
    text += "\n";
  }
  return text;
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

const std::vector<Row> work_rows = {
    {"mma.sync, warp instructions", [](auto& c) { return count(c.p.work.mma); }},
    {"ldmatrix.x4, warp instructions", [](auto& c) { return count(c.p.work.ldmatrix); }},
    {"wavefronts of shared memory: ldmatrix",
     [](auto& c) { return count(c.p.work.read_wavefronts); }},
    {"wavefronts of shared memory: TMA", [](auto& c) { return count(c.p.work.write_wavefronts); }},
    {"bytes from the L2", [](auto& c) { return count(c.p.work.l2_bytes); }},
    {"bytes to and from DRAM, its share", [](auto& c) { return count(c.p.dram_bytes); }},
};

const std::vector<Row> pipe_rows = {
    {"tensor cores at work", [](auto& c) { return count(c.p.pipes.tensor); }},
    {"shared memory at work", [](auto& c) { return count(c.p.pipes.shared_memory); }},
    {"L2 at work for this SM", [](auto& c) { return count(c.p.pipes.l2); }},
    {"DRAM at work for this SM", [](auto& c) { return count(c.p.pipes.dram); }},
    {"block alone: TMA, order to last byte", [](auto& c) { return count(c.p.alone.load); }},
    {"block alone: ldmatrix and mma", [](auto& c) { return count(c.p.alone.compute); }},
    {"block alone: in all", [](auto& c) { return count(c.p.alone.per_tile); }},
    {"with all blocks of the SM", [](auto& c) { return count(c.p.tile_cycles); }},
};

const std::vector<Row> sm_rows = {
    {"registers per thread (~ estimated)",
     [](auto& c) { return format("%s%d", c.registers_known ? "" : "~", c.kernel.registers); }},
    {"blocks per SM (warps)",
     [](auto& c) { return format("%d (%d)", c.p.sm.blocks, c.p.sm.warps); }},
    {"waves of blocks", [](auto& c) { return format("%.2f", c.p.waves); }},
    {"all SMs at work (the rest is tail)", [](auto& c) { return percent(c.p.tail); }},
};

std::string article_value(const Column& c, const ConfigDescription& config) {
  const bool its_size = config.M == 8192 && config.N == 8192 && config.K == 8192;
  const auto figure = c.card.article.find(config.stage);
  if (figure == c.card.article.end() || !its_size) return unknown;
  return format("%.1f", figure->second.tflops);
}

double mma_tflops(const Card& card) {
  return card.mma_flops_per_clk * card.sm_count * card.clock_mhz * 1e6 * 1e-12;
}

std::vector<Row> result_rows(const ConfigDescription& config) {
  return {
      {"held by", [](auto& c) { return c.p.bound; }},
      {"tensor cores at work, of all clocks", [](auto& c) { return percent(c.p.tensor_share); }},
      {"SM clock, MHz (its maker's figure)",
       [](auto& c) { return format("%.0f", c.card.clock_mhz); }},
      {"TFLOP/s at this clock", [](auto& c) { return format("%.1f", c.p.tflops); }},
      {"TFLOP/s of mma.sync alone at this clock",
       [](auto& c) { return format("%.1f", mma_tflops(c.card)); }},
      {"TFLOP/s that the article gives *", [&](auto& c) { return article_value(c, config); }},
  };
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
  Card card;
  card.name = device.name;
  card.arch = std::stoi(device.arch.substr(3));
  card.sm_count = device.sm_count;
  card.clock_mhz = *measured.stage.clock_mhz;
  card.mma_flops_per_clk = *mma_flops;
  card.l2_bytes = static_cast<double>(device.l2_bytes);
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
         heading(columns) + " one k-tile of a block\n" + rows_text(columns, work_rows) +
         " SM clocks per k-tile of a block\n" + rows_text(columns, pipe_rows) +
         " the SM and the grid\n" + rows_text(columns, sm_rows) + " prediction\n" +
         rows_text(columns, result_rows(config)) +
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
