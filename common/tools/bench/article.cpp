#include "article.h"

#include "measurement.h"

std::optional<ArticleFigure> published_figure(const Card* card, const std::string& contestant) {
  if (card == nullptr || !(card->article_torch > 0)) return std::nullopt;
  if (contestant == cublas_bf16) return ArticleFigure{card->article_torch, ""};
  const auto found = card->article.find(contestant);
  return found == card->article.end() ? std::nullopt : std::optional(found->second);
}
