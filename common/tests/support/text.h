// What tests ask of a text, and of what throws one.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "../../host/support/refusal.h"

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// All of a file, which must be there. The root of the repository is where the tests run.
inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), "no file " << path << ", or not run in the root of the repository");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The line of the Refusal that `action` throws; "" if it throws none.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}
