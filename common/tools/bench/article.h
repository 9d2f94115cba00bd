// The figures that the article publishes, to stand beside those of `make reproduce`.
#pragma once

#include <optional>
#include <string>

#include "../../host/explain/cards.h"

// What the article says of `contestant` (as in Measurement) on a known card; nothing if it does
// not.
std::optional<ArticleFigure> published_figure(const Card* card, const std::string& contestant);
