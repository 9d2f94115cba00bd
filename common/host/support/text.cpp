#include "text.h"

#include <algorithm>
#include <clocale>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#ifdef __APPLE__
#include <xlocale.h>
#endif

CLocale::CLocale() {
  static const locale_t c = ::newlocale(LC_ALL_MASK, "C", locale_t{});
  before_ = reinterpret_cast<void*>(::uselocale(c));
}

CLocale::~CLocale() { ::uselocale(reinterpret_cast<locale_t>(before_)); }

double number_in(const std::string& text) {
  const CLocale c;
  return std::strtod(text.c_str(), nullptr);
}

std::string format(const char* pattern, ...) {
  const CLocale c;
  va_list arguments;
  va_start(arguments, pattern);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(length > 0 ? length : 0, '\0');
  std::vsnprintf(&text[0], text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

std::string with_commas(unsigned long long value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, ",");
  return digits;
}

std::string wrapped(const std::string& text, size_t further) {
  constexpr size_t width = 98;
  std::string all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size()) + further;
    for (size_t least = indent - further; line.size() > width; least = indent) {
      size_t blank = line.rfind(' ', width);
      if (blank == std::string::npos || blank <= least) blank = line.find(' ', width);
      if (blank == std::string::npos) break;
      all += line.substr(0, blank) + "\n";
      line = std::string(indent, ' ') + line.substr(blank + 1);
    }
    all += line;
    if (end < text.size()) all += '\n';
    at = end + 1;
  }
  return all;
}

std::string counted(unsigned long long count, const std::string& what) {
  return with_commas(count) + " " + what + (count == 1 ? "" : "s");
}

std::string as_bytes(unsigned long long bytes) {
  constexpr double GiB = 1024.0 * 1024 * 1024, MiB = 1024.0 * 1024;
  if (bytes >= GiB) return format("%.1f GiB", bytes / GiB);
  if (bytes >= MiB) return format("%.1f MiB", bytes / MiB);
  return with_commas(bytes) + " bytes";
}

std::string or_unknown(const std::optional<double>& value, const char* unit) {
  return value ? format("%.0f %s", *value, unit) : "unknown";
}

std::string listed(const std::vector<std::string>& words, const char* last_separator) {
  std::string text;
  for (size_t i = 0; i < words.size(); i++) {
    if (i > 0) text += i + 1 < words.size() ? ", " : last_separator;
    text += words[i];
  }
  return text;
}

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);  // row[j]: distance from a's prefix to b's first j letters
  for (size_t j = 0; j <= b.size(); j++) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); i++) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); j++) {
      const int substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  int best_distance = static_cast<int>(word.size()) / 2 + 1;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}
