// ptx/instructions.h read as text: an instruction is a declaration with its docstring, PTX, a model
// in the emulator, and a case in instructions_test.cpp.
#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include "../support/text.h"

namespace {

// A function whose declaration stands at the beginning of a line: what is around its name.
struct Function {
  std::string comment;  // the lines before it
  std::string name;
  std::string parameters;  // types and names, without defaults
  std::string body;        // with its braces; "" of a declaration
};

std::string without_defaults(const std::string& parameters) {
  const std::regex default_value(" at = \\{[^}]*\\}|\\bat\\b"), blanks("\\s+"), ends("^ | (?=,|$)");
  std::string text = std::regex_replace(parameters, default_value, "");
  text = std::regex_replace(text, blanks, " ");
  return std::regex_replace(text, ends, "");
}

// From `open`, where a bracket stands, to behind the one that closes it.
size_t behind_bracket(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); at++) {
    depth += text[at] == '(' || text[at] == '{';
    depth -= text[at] == ')' || text[at] == '}';
    if (depth == 0) return at + 1;
  }
  return text.size();
}

// The functions of a file whose lines begin with `start` and the type that is returned.
std::vector<Function> functions_of(const std::string& path, const std::string& start) {
  const std::string text = text_of(path);
  const std::regex head("^" + start + "(?!inline )[A-Za-z_][\\w:<>&* ]*?[ &*](\\w+)\\(");
  std::vector<Function> functions;
  std::string comment;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    std::smatch found;
    if (line.rfind("//", 0) == 0) {
      comment += line.substr(2) + " ";
    } else if (std::regex_search(line, found, head)) {
      const size_t open = at + found.position(1) + found.length(1);
      const size_t close = behind_bracket(text, open);
      const std::string parameters = text.substr(open + 1, close - open - 2);
      Function function = {comment, found[1], without_defaults(parameters), ""};
      const size_t next = text.find_first_of(";{", close);
      if (text[next] == '{') function.body = text.substr(next, behind_bracket(text, next) - next);
      functions.push_back(function);
      comment.clear();
    } else if (start != "inline " || line.rfind("template", 0) != 0) {
      comment.clear();
    }
    at = end + 1;
  }
  return functions;
}

const char* const on_device = "__device__ __forceinline__ ";

std::vector<Function> declared() { return functions_of("common/ptx/instructions.h", on_device); }

// The only function of this name; an empty one where there is none, or more.
Function only(const std::vector<Function>& functions, const std::string& name) {
  Function found;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (!found.name.empty()) return {};
    found = function;
  }
  return found;
}

bool has_body(const Function& function) {
  return function.body.find_first_not_of("{} \n") != std::string::npos;
}

// "mbarrier.init.shared::cta.b64", of the line of a docstring that also names the first PTX ISA and
// architecture that have it; "" if there is no such line.
std::string mnemonic_of(const Function& wrapper) {
  const std::regex line(
      "([a-z]\\w*(?:(?:\\.|::)\\w+)+)(?: [^;.]*)?;\\s+PTX \\d+\\.\\d+, (?:sm_\\d+a?|all)\\b");
  std::smatch found;
  return std::regex_search(wrapper.comment, found, line) ? found[1].str() : "";
}

// Whether the text has this mnemonic, and not one that only begins so.
bool says_mnemonic(const std::string& text, const std::string& mnemonic) {
  const std::string rest = "abcdefghijklmnopqrstuvwxyz0123456789_.:";
  for (size_t at = text.find(mnemonic); at != std::string::npos; at = text.find(mnemonic, at + 1)) {
    const size_t end = at + mnemonic.size();
    if (end == text.size() || rest.find(text[end]) == std::string::npos) return true;
  }
  return false;
}

// Checks a property of instruction `name`; what lacks is said in words.
void check(bool holds, const std::string& name, const std::string& lacking) {
  CHECK_MESSAGE(holds, name << ": " << lacking);
}

}  // namespace

TEST_CASE(
    "instructions: each says its exact PTX, the first ISA version and the first architecture") {
  CHECK(declared().size() >= 17);
  for (const Function& wrapper : declared()) {
    check(
        !mnemonic_of(wrapper).empty(), wrapper.name,
        "its comment in common/ptx/instructions.h has no line MNEMONIC operands;  PTX 8.0, sm_90");
  }
}

TEST_CASE("instructions: the PTX is the one that is named, and clobbers memory or registers only") {
  const std::string file = "common/ptx/cuda_instructions.cuh ";
  const auto definitions = functions_of("common/ptx/cuda_instructions.cuh", on_device);
  CHECK(definitions.size() == declared().size());
  for (const Function& wrapper : declared()) {
    const Function ptx = only(definitions, wrapper.name);
    check(has_body(ptx), wrapper.name, file + "does not define it");
    if (!has_body(ptx)) continue;
    const std::string mnemonic = mnemonic_of(wrapper);
    const bool plain = contains(wrapper.comment, "Plain C++");
    const bool keeps_memory = plain || contains(wrapper.comment, "Registers only");
    check(
        ptx.parameters == wrapper.parameters, wrapper.name,
        file + "has (" + ptx.parameters + "), and not (" + wrapper.parameters + ")");
    check(
        says_mnemonic(ptx.body, mnemonic) != plain, wrapper.name,
        file + (plain ? "has inline PTX for what is plain C++" : "does not say " + mnemonic));
    check(contains(ptx.body, "asm") != plain, wrapper.name, file + "has asm, or lacks it");
    check(
        contains(ptx.body, ": \"memory\")") != keeps_memory, wrapper.name,
        file +
            (keeps_memory ? "clobbers memory, which it leaves alone" : "lacks the memory clobber"));
  }
}

TEST_CASE("instructions: a mnemonic that only begins like the one that is named is another one") {
  CHECK(says_mnemonic("asm(\"prefetch.global.L2 [%0];\")", "prefetch.global.L2"));
  CHECK_FALSE(says_mnemonic("prefetch.global.L2::evict_last [%0];", "prefetch.global.L2"));
  CHECK_FALSE(says_mnemonic("bar.sync.aligned 0;", "bar.sync"));
}

TEST_CASE("instructions: the emulator has a model of each") {
  const std::string file = "common/emulator/instructions.cpp ";
  const auto definitions = functions_of("common/emulator/instructions.cpp", "");
  for (const Function& wrapper : declared()) {
    const Function model = only(definitions, wrapper.name);
    check(has_body(model), wrapper.name, file + "has no model of it, or an empty one");
    if (!has_body(model)) continue;
    check(
        model.parameters == wrapper.parameters, wrapper.name,
        file + "has (" + model.parameters + "), and not (" + wrapper.parameters + ")");
  }
}

TEST_CASE(
    "instructions: each, and each function of CUDA's own, has a case that says what it does") {
  const std::string cases = text_of("common/tests/ptx/instructions_test.cpp");
  std::vector<Function> all = declared();
  for (const char* start : {"inline ", ""}) {
    for (const Function& own : functions_of("common/ptx/emulated.h", start)) {
      if (!own.body.empty()) all.push_back(own);
    }
  }
  CHECK(all.size() == declared().size() + 4);
  for (const Function& function : all) {
    CHECK_MESSAGE(
        contains(cases, "\"instruction " + function.name + ": "),
        "common/tests/ptx/instructions_test.cpp has no case \"instruction " << function.name
                                                                            << ": ...\"");
  }
}
