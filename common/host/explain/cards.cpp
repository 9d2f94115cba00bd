#include "cards.h"

#include <cctype>

namespace {

constexpr double MiB = 1 << 20;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

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
