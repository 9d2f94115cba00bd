// The model behind --explain: its parts against what they must be. stage/config_test.cpp has its
// counts against the emulator's.
#include "../../host/explain/explain.h"

#include <doctest/doctest.h>

#include <set>

#include "../../block_swizzle.h"
#include "../support/text.h"

namespace {

ConfigValues default_values() {
  ConfigValues values;
  values.M = values.N = values.K = 8192;
  values.group_m = values.group_n = 8;
  values.swizzle = 128;
  values.smem_bytes = 33792;
  return values;
}

KernelModel model_of(const ConfigValues& values, int registers = 200) {
  const int GN = static_cast<int>((values.N - 1) / values.BN + 1);
  KernelModel model;
  model.values = values;
  model.registers = registers;
  model.tile_of_block = [=](int block) { return TilePosition{block / GN, block % GN}; };
  return model;
}

const Card& h200() { return *find_card("NVIDIA H200", 132); }

TEST_CASE("explain: a matrix of ldmatrix is one wavefront with a swizzle, up to eight without") {
  for (const int swizzle : {32, 64, 128}) CHECK(wavefronts_per_matrix(swizzle, swizzle) == 1);
  CHECK(wavefronts_per_matrix(128, 0) == 8);
  CHECK(wavefronts_per_matrix(64, 0) == 4);
  CHECK(wavefronts_per_matrix(32, 0) == 2);
  CHECK(wavefronts_per_matrix(224, 0) == 2);
  CHECK(wavefronts_per_matrix(256, 0) == 8);
}

TEST_CASE("explain: a wave needs the distinct rows and columns of its tiles, once each") {
  ConfigValues values = default_values();
  values.M = values.N = 1024;  // 8 x 8 tiles
  KernelModel model = model_of(values);
  // Row by row, 16 blocks are two rows of tiles and all eight columns; four such waves.
  WaveFootprint footprint = wave_footprint(model, 16);
  CHECK(footprint.rows == 4 * 2 * 128);
  CHECK(footprint.cols == 4 * 8 * 128);
  // In chunks of four columns, four by four.
  model.tile_of_block = [](int block) {
    const TileCoord tile = block_swizzle(block, 8, 8, 4, 4);
    return TilePosition{tile.m, tile.n};
  };
  footprint = wave_footprint(model, 16);
  CHECK(footprint.rows == 4 * 4 * 128);
  CHECK(footprint.cols == 4 * 4 * 128);
  // All at once, and the edge of the matrix counts as far as it goes.
  model.values.M = 1000;
  footprint = wave_footprint(model, 64);
  CHECK(footprint.rows == 1000);
  CHECK(footprint.cols == 1024);
}

TEST_CASE("explain: company hides waiting, up to what the busiest pipe can do") {
  CHECK(cycles_with_company(1, 100, 400) == 400);
  CHECK(cycles_with_company(1, 100, 50) == 100);
  double before = 400;
  for (const int blocks : {2, 3, 4, 8, 16}) {
    const double cycles = cycles_with_company(blocks, 100, 400);
    CHECK(cycles < before);
    CHECK(cycles > 100);
    CHECK(cycles >= 400.0 / blocks);
    before = cycles;
  }
  CHECK(cycles_with_company(200, 100, 400) == doctest::Approx(100));
  CHECK(cycles_with_company(3, 100, 100) == doctest::Approx(100));
}

TEST_CASE("explain: the tail is what the last wave leaves idle") {
  ConfigValues values = default_values();
  values.bk_stages = 3;
  values.smem_bytes = 99328;
  Prediction p = predict(model_of(values, 255), h200(), 1980);  // 64 x 64 tiles
  CHECK(p.sm.blocks == 2);
  CHECK(p.waves == doctest::Approx(4096.0 / 264));
  // 15 waves of two blocks an SM, and a rest of 136 blocks: 32 blocks on the busiest of 132 SMs.
  CHECK(p.tail == doctest::Approx(4096.0 / 132 / 32));

  values.M = 128 * 12;
  values.N = 128 * 22;  // 264 tiles: exactly one wave
  p = predict(model_of(values, 255), h200(), 1980);
  CHECK(p.waves == doctest::Approx(1));
  CHECK(p.tail == doctest::Approx(1));
}

TEST_CASE("explain: the stages are predicted in their order, and for their reasons") {
  // 00: no swizzle. 01: one buffer. 02: roles. 03: fragments loaded ahead.
  ConfigValues values = default_values();
  values.swizzle = 0;
  const Prediction naive = predict(model_of(values), h200(), 1980);
  values.swizzle = 128;
  const Prediction swizzled = predict(model_of(values), h200(), 1980);
  values.bk_stages = 3;
  values.smem_bytes = 99328;
  values.producer_warps = 1;
  const Prediction roles = predict(model_of(values), h200(), 1980);
  values.producer_warps = 0;
  values.wk_stages = 2;
  const Prediction fused = predict(model_of(values), h200(), 1980);

  CHECK(naive.bound == "shared memory");
  CHECK(swizzled.bound == "TMA latency");
  CHECK(roles.bound == "ldmatrix wait");
  // Two blocks keep the tensor cores busy; what they take from the L2 is as much as it gives.
  CHECK(fused.bound == "L2");
  CHECK(fused.pipes.tensor > 0.9 * fused.tile_cycles);
  CHECK(naive.tflops < swizzled.tflops);
  CHECK(swizzled.tflops < roles.tflops);
  CHECK(roles.tflops < fused.tflops);
  for (const Prediction& p : {naive, swizzled, roles, fused}) {
    CHECK(p.tensor_share < 1);
    const double peak = h200().mma_flops_per_clk * h200().sm_count * 1980e6 * 1e-12;
    CHECK(p.tflops == doctest::Approx(p.tensor_share * peak));
  }
}

TEST_CASE("explain: a deeper pipeline is never predicted to be slower") {
  ConfigValues values = default_values();
  for (values.wk_stages = 1; values.wk_stages <= 2; values.wk_stages++) {
    double before = 0;
    for (values.bk_stages = 1; values.bk_stages <= 6; values.bk_stages++) {
      const double tflops = predict(model_of(values), h200(), 1980).tflops;
      CHECK(tflops >= before);
      before = tflops;
    }
  }
}

TEST_CASE("explain: registers are estimated, and never more than a thread can have") {
  ConfigValues values = default_values();
  CHECK(estimated_registers(values) == 128 + 2 * 32 + 20);
  values.wk_stages = 3;
  CHECK(estimated_registers(values) == 128 + 3 * 32 + 20);
  values.min_blocks_per_sm = 3;
  CHECK(estimated_registers(values) == values.registers_available());
}

TEST_CASE(
    "explain: cards are known by the driver's names, and a laptop's chip is not the desktop's") {
  const Card* card = find_card("NVIDIA GeForce RTX 5090", 170);
  REQUIRE(card != nullptr);
  CHECK(card->arch == 120);
  CHECK(find_card("NVIDIA GeForce RTX 5090 Laptop GPU", 82) == nullptr);
  CHECK(find_card("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 188) != nullptr);
  CHECK(find_card("NVIDIA GeForce XT 1234", 84) == nullptr);
  CHECK(card_file_name("NVIDIA H200") == "h200");
  CHECK(card_file_name("NVIDIA RTX PRO 6000 Blackwell Server Edition") == "rtx_pro_6000");
  CHECK(card_file_name("NVIDIA GeForce XT 1234 Ti") == "xt_1234_ti");
}

TEST_CASE("explain: the row of a card names all that a prediction needs, and files of its own") {
  std::set<std::string> files;
  for (const Card& card : known_cards()) {
    CAPTURE(card.name);
    CHECK(limits_of(card.arch).arch == card.arch);
    for (const double value :
         {card.sm_count * 1.0, card.clock_mhz, card.mma_flops_per_clk, card.l2_bytes,
          card.l2_port_bytes_per_clk}) {
      CHECK(value > 0);
    }
    CHECK(find_card(card.name, card.sm_count) == &card);
    CHECK(card_file_name(card.name) == card.file);
    CHECK(files.insert(card.file).second);
  }
}

TEST_CASE(
    "explain: a card that lacks what a prediction needs is refused, and what it lacks named") {
  const auto refusal = [](void (*edit)(Card & card)) {
    Card card = known_cards().front();
    edit(card);
    return refusal_of([&] { refuse_if_incomplete(card); });
  };
  CHECK(refusal([](Card&) {}) == "");
  CHECK(contains(refusal([](Card& card) { card.clock_mhz = 0; }), "lacks clock_mhz"));
  CHECK(contains(refusal([](Card& card) { card.l2_bytes = 0; }), "lacks l2_bytes"));
  CHECK(contains(refusal([](Card& card) { card.mma_flops_per_clk = 0; }), "mma_flops_per_clk"));
  CHECK(contains(refusal([](Card& card) { card.dram_bytes_per_s = 0; }), "dram_bytes_per_s"));
  CHECK(contains(refusal([](Card& card) { card.arch = 130; }), "common/archs.inc"));
}

ConfigDescription description(int bk_stages) {
  ConfigDescription config = {};
  config.stage = "03_fused_pipeline";
  config.M = config.N = config.K = 8192;
  config.bk_stages = bk_stages;
  config.wk_stages = 2;
  config.swizzle = 128;
  config.smem_bytes = bk_stages * 32768 + 1024;
  config.tile_of_block = [](int block) { return TilePosition{block / 64, block % 64}; };
  return config;
}

TEST_CASE("explain: the table has every built-in card, and says which cannot run the config") {
  std::string text = explain_text(description(3), nullptr);
  for (const Card& card : known_cards()) {
    CAPTURE(card.name);
    CHECK_FALSE(contains(text, (card.name + " cannot run").c_str()));
  }
  CHECK(contains(text, "235.0"));  // the article's figure for this stage on the RTX 5090
  CHECK(contains(text, "425.2"));

  text = explain_text(description(4), nullptr);
  CHECK(contains(text, "RTX 5090 cannot run this config: shared memory of a block"));
  CHECK(contains(text, "101376"));
  CHECK_FALSE(contains(text, "NVIDIA H200 cannot run"));
}

// The device of a build that takes so many registers a thread.
Device h200(uint64_t registers) {
  Device device = {};
  device.backend = Backend::cuda;
  device.name = "NVIDIA H200";
  device.arch = "sm_90";
  device.sm_count = 132;
  device.registers = registers;
  return device;
}

TEST_CASE("explain: registers of the build are used for the card at hand, and only for it") {
  const Device device = h200(199);
  const std::string text = explain_text(description(3), &device);
  CHECK(contains(text, " 199 "));
  CHECK(contains(text, "~212"));
}

TEST_CASE("explain: the measured figure stands beside the one for the measured clock") {
  Device device = h200(212);
  Benchmark measured = {};
  measured.stage.speed = {440, 430, 450};
  measured.mma_peak.speed.median = 132 * 2400 * 1700e6 * 1e-12;
  measured.mma_peak.clock_mhz = 1700;
  measured.stage.clock_mhz = 1600;
  std::string text = explain_measured_text(description(3), device, measured);
  CHECK(contains(text, "measured 440.0 TFLOP/s; predicted for 1600 MHz"));
  CHECK(contains(text, "mma.sync alone did 2400 FLOP per clock and SM at 1700 MHz"));

  // A card that is not built in is predicted from its measured speed of mma.sync.
  device.name = "NVIDIA GeForce XT 1234";
  device.arch = "sm_120";
  device.sm_count = 84;
  measured.mma_peak.speed.median = 84 * 512 * 1700e6 * 1e-12;
  text = explain_measured_text(description(3), device, measured);
  CHECK(contains(text, "the model has 512"));
  measured.stage.clock_mhz = std::nullopt;
  CHECK(contains(explain_measured_text(description(3), device, measured), "unknown clock"));
}

}  // namespace
