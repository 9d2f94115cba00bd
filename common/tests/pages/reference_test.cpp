// docs/reference.md names every option, key, column, variable and target, and no other: what
// it lists is compared with the program and with the files of make. And the reports that the pages
// show name lines of the kernels: they must be the right ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "../../host/device/launch.h"
#include "../../host/options/options.h"
#include "../../host/run/json.h"
#include "../support/text.h"

namespace {

using Names = std::vector<std::string>;

Names lines_of(const std::string& text) {
  Names lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Names words_of(const std::string& text) {
  Names words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

// What the first column of the table under "## heading" names, in its order.
Names listed_under(const std::string& heading) {
  Names names;
  bool inside = false;
  for (const std::string& line : lines_of(text_of("docs/reference.md"))) {
    if (starts_with(line, "## ")) inside = line == "## " + heading;
    if (!inside || !starts_with(line, "| ")) continue;
    std::string cell = line.substr(2, line.find(" |", 2) - 2);
    cell.erase(std::remove(cell.begin(), cell.end(), '`'), cell.end());
    names.push_back(cell);
  }
  REQUIRE_MESSAGE(names.size() > 1, "docs/reference.md has no table under ## " << heading);
  names.erase(names.begin());  // the table's head
  return names;
}

// Names the culprits one by one: `page` is what the reference lists, `real` what there is.
void check_same_names(const std::string& heading, const Names& page, const Names& real) {
  CHECK(!real.empty());
  for (const std::string& name : real) {
    CHECK_MESSAGE(
        std::count(page.begin(), page.end(), name) == 1,
        "docs/reference.md, ## " << heading << ": add a row for " << name);
  }
  for (const std::string& name : page) {
    CHECK_MESSAGE(
        std::count(real.begin(), real.end(), name) != 0,
        "docs/reference.md, ## " << heading << ": there is no " << name << " any more");
  }
}

Names options_of(Backend backend) {
  Names options;
  for (const std::string& line : lines_of(help_text("00_naive", backend))) {
    const Names words = words_of(line);
    if (!words.empty() && starts_with(words[0], "--")) options.push_back(words[0]);
  }
  return options;
}

Names json_keys() {
  Names keys;
  for (const std::string& line : lines_of(to_json(RunRecord()))) {
    if (starts_with(line, "  \"")) keys.push_back(line.substr(3, line.find('"', 3) - 3));
  }
  return keys;
}

Names split_at_commas(std::string line) {
  std::replace(line.begin(), line.end(), ',', ' ');
  return words_of(line);
}

// The Makefile and what it includes, without the continuations of lines.
std::string makefiles() {
  std::string text = text_of("Makefile");
  for (const std::string& line : lines_of(text_of("Makefile"))) {
    const Names words = words_of(line);
    if (words.size() == 2 && words[0] == "include") text += text_of(words[1]);
  }
  for (size_t at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n")) {
    text.replace(at, 2, " ");
  }
  return text;
}

Names make_targets() {
  Names targets = {"02"};  // stands for every stage: the Makefile finds them
  for (const std::string& line : lines_of(makefiles())) {
    if (!starts_with(line, ".PHONY:")) continue;
    for (const std::string& word : words_of(line.substr(7))) {
      if (word != "FORCE" && word[0] != '$') targets.push_back(word);
    }
  }
  return targets;
}

// What follows "make" in a line of `make help`.
Names helped_targets() {
  Names targets;
  for (const std::string& line : lines_of(text_of("Makefile"))) {
    if (starts_with(line, "## make ")) targets.push_back(words_of(line)[2]);
  }
  return targets;
}

Names make_variables() {
  for (const std::string& line : lines_of(makefiles())) {
    if (starts_with(line, "VARIABLES := ")) return words_of(line.substr(13));
  }
  return {};
}

// The anchor that GitHub gives a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c))) anchor += static_cast<char>(std::tolower(c));
    if (c == ' ' || c == '-') anchor += '-';
  }
  return anchor;
}

Names anchors_of(const std::string& page) {
  Names anchors;
  for (const std::string& line : lines_of(text_of(page))) {
    if (starts_with(line, "#")) anchors.push_back(anchor_of(line.substr(line.find(' ') + 1)));
  }
  return anchors;
}

}  // namespace

TEST_CASE("reference: the options of both backends") {
  const Names page = listed_under("Options");
  check_same_names("Options", page, options_of(Backend::emulator));
  check_same_names("Options", page, options_of(Backend::cuda));
}

TEST_CASE("reference: the exit statuses that --help explains") {
  CHECK(listed_under("Exit status") == Names{"0", "1", "2"});
  const std::string help = help_text("00_naive", Backend::emulator);
  CHECK(help.find("Exit status: 0 verified, 1 wrong result or hazard, 2 refused.") < help.size());
}

TEST_CASE("reference: the keys of the JSON object, in their order") {
  check_same_names("JSON", listed_under("JSON"), json_keys());
  CHECK(listed_under("JSON") == json_keys());
}

TEST_CASE("reference: the columns of a run's CSV are its own and then the JSON keys") {
  Names columns = listed_under("CSV of a run");
  const Names keys = json_keys();
  columns.insert(columns.end(), keys.begin(), keys.end());
  CHECK(columns == split_at_commas(csv_header()));
}

TEST_CASE("reference: the columns of a trace") {
  Device device = {};
  device.trace = true;
  launch_on_emulator(device, 1, 32, 0, [] {});
  CHECK(
      listed_under("CSV of a trace") == split_at_commas(lines_of(device.last_launch.trace).at(0)));
}

TEST_CASE("reference: the variables of make") {
  check_same_names("Make variables", listed_under("Make variables"), make_variables());
}

TEST_CASE("reference: the targets of make, with those of make help") {
  const Names page = listed_under("Make targets");
  check_same_names("Make targets", page, make_targets());
  for (const std::string& target : helped_targets()) {
    CHECK_MESSAGE(
        std::count(page.begin(), page.end(), target) == 1,
        "docs/reference.md, ## Make targets: add a row for " << target
                                                             << ", which is in make help");
  }
}

TEST_CASE("pages: what a report links to is a heading of docs/emulator.md") {
  const std::string source = text_of("common/emulator/reports.cpp");
  const Names anchors = anchors_of("docs/emulator.md");
  const std::regex title("\\{Report::Kind::\\w+, \"[^\"]+\", \"([^\"]+)\"\\}");
  int links = 0;
  for (std::sregex_iterator at(source.begin(), source.end(), title), end; at != end; ++at) {
    const std::string link = (*at)[1];
    CHECK_MESSAGE(
        std::count(anchors.begin(), anchors.end(), link) == 1,
        "docs/emulator.md has no heading #" << link);
    links++;
  }
  CHECK(links == 8);
}
