// A command line, of which each option is described once: what parses it, refuses it and prints the
// help reads the same row.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

struct OptionRule {
  std::string name;   // "--seed"
  std::string value;  // what stands for the value in the help; "": the option takes none
  std::string help;
  std::function<void(const std::string& value)> apply;  // throws Refusal
  std::string unavailable = {};  // why this program does not have the option; "" if it has
};

// Rows of the usual kinds. What is read goes to `target`, which must live as long as the row.
OptionRule flag(const char* name, bool& target, const char* help);
OptionRule text_option(const char* name, const char* value, std::string& target, const char* help);

// A whole number in decimal digits, lowest <= number <= highest; anything else is refused.
uint64_t parse_number(
    const char* option,
    const std::string& text,
    uint64_t lowest,
    uint64_t highest);

template <class Integer>
OptionRule number_option(
    const char* name,
    Integer& target,
    uint64_t lowest,
    uint64_t highest,
    const char* help) {
  const auto apply = [name, &target, lowest, highest](const std::string& text) {
    target = static_cast<Integer>(parse_number(name, text, lowest, highest));
  };
  return {name, "N", help, apply};
}

// One of several names, which stand for 0, 1, ...
int parse_choice(
    const char* option,
    const std::string& text,
    const std::vector<std::string>& names);

template <class Choice>
OptionRule choice_option(
    const char* name,
    Choice& target,
    const std::vector<std::string>& names,
    const char* help) {
  std::string value;
  for (const std::string& choice : names) value += (value.empty() ? "" : "|") + choice;
  const auto apply = [name, &target, names](const std::string& text) {
    target = static_cast<Choice>(parse_choice(name, text, names));
  };
  return {name, value, help, apply};
}

// Applies the rows to the arguments after a program's name, each as "--seed 3" or "--seed=3".
// Returns the names of those that were given. Throws Refusal with one line that names the option,
// its value and what to do.
std::set<std::string> parse_arguments(
    const std::vector<OptionRule>& rules,
    const std::vector<std::string>& arguments);

// The value of an option, looked up whether or not the rest is legal. "" if it is not there.
std::string find_value(const std::vector<std::string>& arguments, const std::string& name);

// A line for each option.
std::string help_rows(const std::vector<OptionRule>& rules);
