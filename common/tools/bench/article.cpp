#include "article.h"

#include <array>
#include <map>

#include "measurement.h"

namespace {

// The percentages of stages 00 to 03, by the card's name in file names.
const std::map<std::string, std::array<const char*, 4>>& percentages() {
  static const std::map<std::string, std::array<const char*, 4>> printed = {
      {"rtx_5090", {"-14.5 %", "-6.0 %", "+0.8 %", "+4.1 %"}},
      {"rtx_pro_6000", {"-42.4 %", "-21.8 %", "-2.6 %", "-2.4 %"}},
  };
  return printed;
}

}  // namespace

std::optional<PublishedFigure> published_figure(const Card* card, const std::string& contestant) {
  if (card == nullptr || !(card->article_torch > 0)) return std::nullopt;
  if (contestant == cublas_bf16) return PublishedFigure{card->article_torch, ""};
  for (int stage = 0; stage < 4; stage++) {
    const std::string number = {'0', static_cast<char>('0' + stage), '_'};
    if (contestant.rfind(number, 0) != 0) continue;
    const auto found = percentages().find(card->file);
    const char* percent = found == percentages().end() ? "" : found->second[stage];
    return PublishedFigure{card->article_tflops[stage], percent};
  }
  return std::nullopt;
}
