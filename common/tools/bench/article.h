// The figures that the article publishes, to stand beside those of `make reproduce`.
#pragma once

#include <optional>
#include <string>

#include "../../host/explain/cards.h"

struct PublishedFigure {
  double tflops;             // at M = N = K = 8192
  std::string versus_torch;  // as the article prints it, "+4.1 %"; it does not follow from tflops
};

// What the article says of `contestant` (as in Measurement) on a known card; nothing if it does
// not.
std::optional<PublishedFigure> published_figure(const Card* card, const std::string& contestant);
