// What the benchmark prints for people.
#include <algorithm>
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
  if (measurement.is_twin()) return name.substr(twin_of("").size()) + ", again";
  return name + preset_text(measurement.preset);
}

std::string rounded(const std::optional<double>& value) {
  return value ? format("%.0f", *value) : "";
}

// What a row of the table shows: of the steady rounds, or where there are none of the cold runs.
struct Shown {
  double tflops, low, high, ms;
  std::optional<double> clock_mhz, power_w, joules, cold;
};

Shown shown(const Measurement& of) {
  if (!of.steady) {
    return {of.speed.median, of.speed.p20, of.speed.p80, of.ms, of.clock_mhz, of.power_w, {}, {}};
  }
  const SteadyFigure& steady = *of.steady;
  return {steady.tflops,    steady.slowest, steady.fastest, steady.ms,
          steady.clock_mhz, steady.power_w, steady.joules,  of.speed.median};
}

std::string number(const std::optional<double>& value, const char* pattern) {
  return value ? format(pattern, *value) : "";
}

// Speeds, and how they compare with those of the peers.
std::string speed_table(const Measurements& measurements) {
  const Measurement* const peers[] = {
      find_measurement(measurements, mma_sync_registers),
      find_measurement(measurements, cublaslt_mma_sync),
      find_measurement(measurements, cublas_fp32), find_measurement(measurements, cublas_bf16)};
  const bool steady = !measurements.empty() && measurements[0].steady.has_value();
  std::string text = format(
      "  %-32s %8s %8s %8s %9s   %9s %9s %9s %9s %6s %6s%s\n",
      steady ? "steady TFLOP/s, of the rounds" : "median TFLOP/s", steady ? "median" : "",
      steady ? "slowest" : "p20", steady ? "fastest" : "p80", "ms", "/ ceiling", "/ best Lt",
      "/ cu fp32", "/ cu bf16", "MHz", "W", steady ? "  J/launch     cold" : "");
  for (const Measurement& each : measurements) {
    const Shown row = shown(each);
    text += format(
        "  %-32s %8.1f %8.1f %8.1f %9.4f  ", label_of(each).c_str(), row.tflops, row.low, row.high,
        row.ms);
    for (const Measurement* peer : peers) {
      const std::optional<double> ratio = speed_ratio(&each, peer);
      text += format(" %9s", ratio ? format("%.1f %%", 100 * *ratio).c_str() : "");
    }
    text += format(" %6s %6s", rounded(row.clock_mhz).c_str(), rounded(row.power_w).c_str());
    if (steady) {
      text +=
          format(" %9s %8s", number(row.joules, "%.4f").c_str(), number(row.cold, "%.1f").c_str());
    }
    text += "\n";
  }
  return text;
}

// How far the steady figures can be trusted.
std::string steady_lines(const Measurements& measurements) {
  size_t rounds = 0, settled = 0;
  std::optional<double> heated_ms;
  for (const Measurement& each : measurements) {
    if (!each.steady) continue;
    rounds += each.steady->round_ms.size();
    settled += static_cast<size_t>(each.steady->settled);
    heated_ms = std::max(heated_ms.value_or(0), each.steady->heated_ms);
  }
  if (rounds == 0) return "";
  std::string text = format(
      "  the clock had settled in %zu of %zu turns, in the slowest contestant after %.1f s\n",
      settled, rounds, *heated_ms * 1e-3);
  if (const auto difference = twin_difference(measurements)) {
    text += format(
        "  two equal contestants differ by %.2f %%: smaller differences say nothing\n",
        100 * *difference);
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
    if (each.is_stage() || each.is_twin()) continue;
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
    const auto clock_mhz = shown(each).clock_mhz;
    if (clock_mhz && (!lowest || *clock_mhz < *lowest)) lowest = clock_mhz;
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
  return size_text(size) + "\n" + speed_table(measurements) + steady_lines(measurements) +
         preset_lines(measurements) + cutlass_lines(environment, measurements) +
         kernel_lines(measurements) + throttle_warning(environment, measurements) +
         slowing_warning();
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
