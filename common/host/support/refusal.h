// A refusal: the program will not do what was asked (options, config, environment). Its text is one
// clear line that names what was wrong and what to do; the program prints it and exits with 2.
#pragma once

#include <stdexcept>
#include <string>

class Refusal : public std::runtime_error {
 public:
  explicit Refusal(const std::string& line) : std::runtime_error(line) {}
};

// Throws Refusal with `fault`, unless it is "".
inline void refuse_if(const std::string& fault) {
  if (!fault.empty()) throw Refusal(fault);
}
