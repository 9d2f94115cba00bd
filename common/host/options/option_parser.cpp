#include "option_parser.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "../support/refusal.h"
#include "../support/text.h"

namespace {

// The value of an option, and not the next option.
bool is_value(const std::string& text) { return !text.empty() && text.rfind("--", 0) != 0; }

// Line breaks become blanks, so that a refusal stays one line whatever it quotes.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

const OptionRule& find_rule(const std::vector<OptionRule>& rules, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> available;
  for (const OptionRule& rule : rules) {
    if (name == rule.name) {
      if (rule.unavailable.empty()) return rule;
      throw Refusal(argument + ": " + rule.unavailable);
    }
    if (rule.unavailable.empty()) available.push_back(rule.name);
  }
  const std::string guess = nearest(argument, available);
  const std::string hint = guess.empty() ? "" : "did you mean " + guess + "? ";
  throw Refusal(argument + ": no such option; " + hint + "--help lists them");
}

}  // namespace

OptionRule flag(const char* name, bool& target, const char* help) {
  return {name, "", help, [&target](const std::string&) { target = true; }};
}

OptionRule text_option(const char* name, const char* value, std::string& target, const char* help) {
  return {name, value, help, [&target](const std::string& text) { target = text; }};
}

uint64_t parse_number(
    const char* option,
    const std::string& text,
    uint64_t lowest,
    uint64_t highest) {
  bool good = !text.empty();
  for (const char c : text) good = good && std::isdigit(static_cast<unsigned char>(c));
  errno = 0;
  const unsigned long long number = good ? std::strtoull(text.c_str(), nullptr, 10) : 0;
  if (good && errno == 0 && number >= lowest && number <= highest) return number;
  throw Refusal(format(
      "%s %s: give a whole number from %llu to %llu", option, text.c_str(),
      static_cast<unsigned long long>(lowest), static_cast<unsigned long long>(highest)));
}

int parse_choice(
    const char* option,
    const std::string& text,
    const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); i++) {
    if (text == names[i]) return static_cast<int>(i);
  }
  throw Refusal(format("%s %s: choose %s", option, text.c_str(), listed(names, " or ").c_str()));
}

std::set<std::string> parse_arguments(
    const std::vector<OptionRule>& rules,
    const std::vector<std::string>& arguments) {
  std::set<std::string> given;
  for (size_t i = 0; i < arguments.size(); i++) {
    const std::string argument = one_line(arguments[i]);
    const size_t equals = argument.find('=');
    const OptionRule& rule = find_rule(rules, argument);
    const bool takes_value = !rule.value.empty();
    if (!given.insert(rule.name).second) throw Refusal(rule.name + " is given twice; give it once");
    std::string value;
    if (equals != std::string::npos) {
      if (!takes_value) throw Refusal(argument + ": " + rule.name + " takes no value");
      value = argument.substr(equals + 1);
    } else if (takes_value && i + 1 < arguments.size()) {
      value = one_line(arguments[++i]);
    }
    if (takes_value && !is_value(value)) {
      throw Refusal(rule.name + ": a value must follow, " + rule.name + " " + rule.value);
    }
    rule.apply(value);
  }
  return given;
}

std::string find_value(const std::vector<std::string>& arguments, const std::string& name) {
  std::string value;
  for (size_t i = 0; i < arguments.size(); i++) {
    const bool has_next = i + 1 < arguments.size() && is_value(arguments[i + 1]);
    if (arguments[i] == name && has_next) value = arguments[i + 1];
    if (arguments[i].rfind(name + "=", 0) == 0) value = arguments[i].substr(name.size() + 1);
  }
  return value;
}

std::string help_rows(const std::vector<OptionRule>& rules) {
  std::string text;
  for (const OptionRule& rule : rules) {
    const std::string usage = rule.value.empty() ? rule.name : rule.name + " " + rule.value;
    text += format("  %-36s %s\n", usage.c_str(), rule.help.c_str());
  }
  return text;
}
