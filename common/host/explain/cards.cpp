#include "cards.h"

#include <cctype>
#include <utility>

#include "../../config_checks.h"
#include "../support/refusal.h"

namespace {

constexpr double MiB = 1 << 20;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// A prediction with a value that is missing would be a number all the same.
void refuse_if_incomplete(const Card& card) {
  const std::pair<const char*, bool> given[] = {
      {"name", !card.name.empty()},
      {"file", !card.file.empty()},
      {"sm_count", card.sm_count > 0},
      {"clock_mhz", card.clock_mhz > 0},
      {"mma_flops_per_clk", card.mma_flops_per_clk > 0},
      {"l2_bytes", card.l2_bytes > 0},
      {"dram_bytes_per_s", card.dram_bytes_per_s > 0}};
  const std::string row = "the row of '" + card.name + "' in common/host/explain/cards.inc";
  for (const auto& [value, is_there] : given) {
    if (!is_there) throw Refusal(row + " lacks " + value + ", which predictions need: add it");
  }
  if (limits_of(card.arch).arch != card.arch) {
    throw Refusal(
        row + " has arch = " + std::to_string(card.arch) + ", which has no row in " +
        "common/archs.inc: add one there");
  }
}

// In the constructor of a row, the members that it names are its own.
const std::vector<Card>& known_cards() {
  static const std::vector<Card> cards = [] {
    std::vector<Card> rows;
#define CARD(...)            \
  {                          \
    struct Row : Card {      \
      Row() { __VA_ARGS__; } \
    };                       \
    rows.push_back(Row());   \
  }
#include "cards.inc"
    for (const Card& row : rows) refuse_if_incomplete(row);
    return rows;
  }();
  return cards;
}

const Card* find_card(const std::string& name, int sm_count) {
  for (const Card& card : known_cards()) {
    if (contains(name, card.name) && sm_count == card.sm_count) return &card;
  }
  return nullptr;
}

std::string card_file_name(const std::string& name) {
  for (const Card& card : known_cards()) {
    if (contains(name, card.name)) return card.file;
  }
  std::string file;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!plain && (file.empty() || file.back() == '_')) continue;
    file += plain ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
    if (file == "nvidia_" || file == "geforce_") file.clear();
  }
  while (!file.empty() && file.back() == '_') file.pop_back();
  return file;
}
