#include "cards.h"

#include <cctype>

namespace {

constexpr double MiB = 1 << 20;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

const std::vector<Card>& known_cards() {
  static const std::vector<Card> cards = {
      {"NVIDIA H200", "h200", 90, 132, 1980, 2600, 60 * MiB, 5120, 108, 4.8e12, {}, 0},
      {"RTX 5090",
       "rtx_5090",
       120,
       170,
       2407,
       512,
       96 * MiB,
       0,
       64,
       1.792e12,
       {194.24, 214.43, 229.78, 235.01},
       228.00},
      {"RTX PRO 6000",
       "rtx_pro_6000",
       120,
       188,
       2617,
       1024,
       128 * MiB,
       0,
       64,
       1.792e12,
       {249.94, 338.88, 422.56, 425.24},
       435.59},
  };
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
