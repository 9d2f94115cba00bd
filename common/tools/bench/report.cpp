// What the benchmark prints for people.
#include <set>

#include "../../host/support/system.h"
#include "../../host/support/text.h"
#include "measurement.h"

namespace {

using Measurements = std::vector<Measurement>;

// ", preset h200"; "" for what config.h says.
std::string preset_text(const std::string& preset) {
  return preset.empty() ? "" : ", preset " + preset;
}

std::string label_of(const Measurement& measurement) {
  const std::string& name = measurement.contestant;
  if (name == cublas_fp32) return "cuBLAS, fp32 output";
  if (name == cublas_bf16) return "cuBLAS, bf16 output";
  if (name == cublaslt_mma_sync) return "cuBLASLt, best mma.sync";
  if (name == cutlass_sm80) return "CUTLASS 2.x, best kernel";
  if (name == mma_sync_registers) return "mma.sync on registers";
  return name + preset_text(measurement.preset);
}

std::string rounded(const std::optional<double>& value) {
  return value ? format("%.0f", *value) : "";
}

// Speeds, and how they compare with those of the peers.
std::string speed_table(const Measurements& measurements) {
  const Measurement* const peers[] = {
      find_measurement(measurements, mma_sync_registers),
      find_measurement(measurements, cublaslt_mma_sync),
      find_measurement(measurements, cublas_fp32), find_measurement(measurements, cublas_bf16)};
  std::string text = format(
      "  %-32s %8s %8s %8s %9s   %9s %9s %9s %9s %6s %6s\n", "median TFLOP/s", "", "p20", "p80",
      "ms", "/ ceiling", "/ best Lt", "/ cu fp32", "/ cu bf16", "MHz", "W");
  for (const Measurement& each : measurements) {
    text += format(
        "  %-32s %8.1f %8.1f %8.1f %9.4f  ", label_of(each).c_str(), each.speed.median,
        each.speed.p20, each.speed.p80, each.ms);
    for (const Measurement* peer : peers) {
      const std::optional<double> ratio = speed_ratio(&each, peer);
      text += format(" %9s", ratio ? format("%.1f %%", 100 * *ratio).c_str() : "");
    }
    text += format(" %6s %6s\n", rounded(each.clock_mhz).c_str(), rounded(each.power_w).c_str());
  }
  return text;
}

// Of each preset: whether every stage is faster than the one before it, and than without it.
std::string preset_lines(const Measurements& measurements) {
  std::string text;
  std::set<std::string> presets;
  for (const Measurement& stage : measurements) {
    const std::string& preset = stage.preset;
    if (!stage.is_stage() || !presets.insert(preset).second) continue;
    const OrderCount count = count_ordered_rounds(measurements, preset);
    if (count.rounds > 0) {
      text += format(
          "  each stage faster than the one before it: in %d of %d rounds%s\n", count.ordered,
          count.rounds, preset_text(preset).c_str());
    }
    for (const Measurement& each : measurements) {
      if (preset.empty() || !each.is_stage() || each.preset != preset) continue;
      const auto ratio = speed_ratio(find_measurement(measurements, each.contestant), &each);
      if (ratio) text += format("  default / preset, %s: %.3f\n", each.contestant.c_str(), *ratio);
    }
  }
  return text;
}

// What CUTLASS leaves to be said of the last stage, the one that is meant to hold against it.
std::string cutlass_lines(const Environment& environment, const Measurements& measurements) {
  if (environment.cutlass_kernels == 0) return "";
  const Measurement* const cutlass = find_measurement(measurements, cutlass_sm80);
  if (cutlass == nullptr) {
    return format(
        "  CUTLASS is left out: none of its %zu kernels takes this size (K must be a multiple of 8 "
        "and N of 4)\n",
        environment.cutlass_kernels);
  }
  std::string text = format("  CUTLASS: %s\n", cutlass->config.c_str());
  for (const Measurement& each : measurements) {
    const auto ratio = speed_ratio(&each, cutlass);
    if (each.contestant.rfind("03_", 0) != 0 || !ratio) continue;
    text += format("  03 / CUTLASS%s: %.3f\n", preset_text(each.preset).c_str(), *ratio);
  }
  return text;
}

// The kernels by which the libraries were represented.
std::string kernel_lines(const Measurements& measurements) {
  std::string text;
  for (const Measurement& each : measurements) {
    if (each.is_stage()) continue;
    text += format(
        "  %-32s %s: %s\n", label_of(each).c_str(), name_of(each.instruction),
        each.kernel.empty() ? "its kernel's name cannot be had" : each.kernel.c_str());
  }
  if (find_measurement(measurements, cublaslt_mma_sync) == nullptr) {
    text += "  no cuBLASLt algorithm is known by its kernel's name to use mma.sync\n";
  }
  return text;
}

// The clock of the slowest contestant, and what held clocks down.
std::string throttle_warning(const Environment& environment, const Measurements& measurements) {
  uint64_t reasons = 0;
  std::optional<double> lowest;
  for (const Measurement& each : measurements) {
    reasons |= each.throttle_reasons;
    if (each.clock_mhz && (!lowest || *each.clock_mhz < *lowest)) lowest = each.clock_mhz;
  }
  const std::string why = throttle_text(reasons);
  const bool slow =
      lowest && environment.max_clock_mhz && *lowest < 0.97 * *environment.max_clock_mhz;
  if (why.empty() && !slow) return "";
  std::string text = "  warning: the GPU ran below its highest clock";
  if (lowest && environment.max_clock_mhz) {
    text += format(" (%.0f MHz of %.0f at the least)", *lowest, *environment.max_clock_mhz);
  }
  if (!why.empty()) text += ", because of: " + why;
  return text + "; compare figures of one run only\n";
}

std::string slowing_warning() {
  const std::string names = slowing_variables();
  return names.empty() ? "" : "  warning: " + names + " is set: figures are not to be trusted\n";
}

// What the figures of the article are worth beside these.
std::string article_lines(const Environment& environment, const Card* card) {
  if (published_figure(card, cublas_bf16)) {
    return format(
        "The article's figures are for its own kernels on an %s; its percentages are as printed,\n"
        "and do not follow from its TFLOP/s. Its last kernel has a race: docs/race.md.\n",
        card->name.c_str());
  }
  std::vector<std::string> measured;
  for (const Card& known : known_cards()) {
    if (published_figure(&known, cublas_bf16)) measured.push_back("an " + known.name);
  }
  return format(
      "The article has no figures for %s: it measured %s.\n", environment.device.name.c_str(),
      listed(measured, " and ").c_str());
}

}  // namespace

std::optional<ArticleFigure> published_figure(const Card* card, const std::string& contestant) {
  if (card == nullptr || !(card->article_torch > 0)) return std::nullopt;
  if (contestant == cublas_bf16) return ArticleFigure{card->article_torch, ""};
  const auto found = card->article.find(contestant);
  return found == card->article.end() ? std::nullopt : std::optional(found->second);
}

std::string size_report(
    const Environment& environment,
    const ProblemSize& size,
    const Measurements& measurements) {
  return size_text(size) + "\n" + speed_table(measurements) + preset_lines(measurements) +
         cutlass_lines(environment, measurements) + kernel_lines(measurements) +
         throttle_warning(environment, measurements) + slowing_warning();
}

std::string reproduction_report(const Environment& environment, const Measurements& measurements) {
  const Card* const card = find_card(environment.device.name, environment.device.sm_count);
  const Measurement* const torch = find_measurement(measurements, cublas_bf16);
  std::string text = format(
      "  %-32s %8s %9s %9s   %9s %9s\n", "TFLOP/s", "here", "vs cuBLAS", "ms", "article",
      "vs torch");
  for (const Measurement& each : measurements) {
    const std::optional<ArticleFigure> figure = published_figure(card, each.contestant);
    const std::optional<double> ratio = speed_ratio(&each, torch);
    const std::string versus =
        &each == torch || !ratio ? "" : format("%+.1f %%", 100 * (*ratio - 1));
    const std::string label = &each == torch ? "cuBLAS, bf16 out (torch.matmul)" : label_of(each);
    text += format(
        "  %-32s %8.2f %9s %9.3f   %9s %9s   %s MHz, %s W\n", label.c_str(), each.speed.median,
        versus.c_str(), each.ms, figure ? format("%.2f", figure->tflops).c_str() : "-",
        figure ? figure->versus_torch.c_str() : "", rounded(each.clock_mhz).c_str(),
        rounded(each.power_w).c_str());
  }
  text += format(
      "conditions     power limit %s W, SM clock up to %s MHz\n",
      rounded(environment.power_limit_w).c_str(), rounded(environment.max_clock_mhz).c_str());
  return text + slowing_warning() + article_lines(environment, card) +
         "Figures may differ: the article names neither the tile sizes nor the power limit, its\n"
         "torch.matmul is cuBLAS as its PyTorch chose it, and a GPU at its power limit slows down\n"
         "with every kernel that ran before. `make bench` interleaves, for figures to compare.\n";
}
