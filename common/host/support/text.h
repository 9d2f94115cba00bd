// Strings for messages.
#pragma once

#include <optional>
#include <string>
#include <vector>

// As long as it lives, numbers are read and written by this thread with the point of the C locale,
// whatever a library has made of the program's.
class CLocale {
 public:
  CLocale();
  ~CLocale();
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  void* before_;
};

// The number that `text` begins with, in the C locale; 0 if there is none.
double number_in(const std::string& text);

// printf into a string, in the C locale.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

// "131,072": digits in groups of three.
std::string with_commas(unsigned long long value);

// Each line of more than 98 columns, which is as wide as a page shows, broken at blanks; what goes
// on stands `further` columns further in.
std::string wrapped(const std::string& text, size_t further);

// "1 block", "131,072 blocks".
std::string counted(unsigned long long count, const std::string& what);

// "1.5 MiB", "101,376 bytes": the largest unit of which there is at least one.
std::string as_bytes(unsigned long long bytes);

// "1980 MHz", or "unknown".
std::string or_unknown(const std::optional<double>& value, const char* unit);

// "a, b or c".
std::string listed(const std::vector<std::string>& words, const char* last_separator);

// Insertions, deletions and substitutions that turn `a` into `b`.
int edit_distance(const std::string& a, const std::string& b);

// The candidate with the least edit distance to `word`; "" if all are far from it.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);
