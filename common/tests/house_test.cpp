// The house: folders include each other only along the arrows of common/README.md.
#include <doctest/doctest.h>

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Names = std::set<std::string>;
using Arrows = std::map<std::string, Names>;  // a room, and those that it may include

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_file(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const open = ::opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] != '.') names.push_back(entry->d_name);
  }
  ::closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

bool is_stage(const std::string& folder) {
  return folder.size() > 3 && std::isdigit(static_cast<unsigned char>(folder[0])) &&
         std::isdigit(static_cast<unsigned char>(folder[1])) && folder[2] == '_' &&
         folder.find('/') == std::string::npos;
}

bool is_source(const std::string& name) {
  for (const char* ending : {".h", ".inc", ".cuh", ".cpp", ".cu"}) {
    const std::string end = ending;
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) {
      return true;
    }
  }
  return false;
}

void add_sources(const std::string& folder, std::vector<std::string>& paths) {
  for (const std::string& name : entries(folder)) {
    const std::string path = folder + "/" + name;
    if (is_source(name) && is_file(path)) paths.push_back(path);
    if (!is_file(path)) add_sources(path, paths);
  }
}

// All sources of the course, from the root of the checkout.
std::vector<std::string> all_sources() {
  std::vector<std::string> paths;
  for (const std::string& folder : entries(".")) {
    if (folder == "common" || folder == "plots" || is_stage(folder)) add_sources(folder, paths);
  }
  return paths;
}

// "common/host/device" of "common/host/device/launch.h". All stages are one room, and so are the
// tests of a subject with all others, but for what stages and several subjects share.
std::string room_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (is_stage(folder)) return "stages";
  const bool is_shared = folder == "common/tests/stage" || folder == "common/tests/support";
  return folder.compare(0, 13, "common/tests/") == 0 && !is_shared ? "common/tests" : folder;
}

// a/b/../c is a/c.
std::string without_dots(const std::string& path) {
  std::vector<std::string> parts;
  std::istringstream words(path);
  std::string part;
  while (std::getline(words, part, '/')) {
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (part != ".") {
      parts.push_back(part);
    }
  }
  std::string plain;
  for (const std::string& each : parts) plain += (plain.empty() ? "" : "/") + each;
  return plain;
}

// The files of the course that `path` includes, with "..." and relative to itself or to the root.
std::vector<std::string> includes_of(const std::string& path) {
  std::vector<std::string> included;
  std::istringstream lines(read_text(path));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.compare(0, 10, "#include \"") != 0) continue;
    const std::string name = line.substr(10, line.find('"', 10) - 10);
    const std::string beside = without_dots(path.substr(0, path.rfind('/') + 1) + name);
    if (is_file(beside)) {
      included.push_back(beside);
    } else if (is_file(name)) {
      included.push_back(name);
    } else {
      FAIL_CHECK(path, " includes ", name, ", which is not there");
    }
  }
  return included;
}

// The words in backquotes of a cell.
std::vector<std::string> quoted_words(const std::string& cell) {
  std::vector<std::string> words;
  for (size_t from = cell.find('`'); from != std::string::npos; from = cell.find('`', from)) {
    const size_t end = cell.find('`', from + 1);
    if (end == std::string::npos) break;
    words.push_back(cell.substr(from + 1, end - from - 1));
    from = end + 1;
  }
  return words;
}

// The rows of the table "| room | what is in it | may include |", from the top.
std::vector<std::pair<std::string, Names>> table_of_rooms(const std::string& page) {
  std::vector<std::pair<std::string, Names>> rows;
  std::istringstream lines(page);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.compare(0, 8, "| room |") == 0) inside = true;
    if (!inside || line.compare(0, 3, "| `") != 0) continue;
    const size_t last = line.rfind('|');
    const size_t before = line.rfind('|', last - 1);
    const std::vector<std::string> may = quoted_words(line.substr(before, last - before));
    rows.push_back({quoted_words(line)[0], Names(may.begin(), may.end())});
  }
  return rows;
}

Arrows arrows_of(const std::vector<std::pair<std::string, Names>>& rows) {
  Arrows arrows;
  for (const auto& [room, may] : rows) arrows[room] = may;
  return arrows;
}

// All rooms that `room` may include, directly or through others. Ends also where there is a circle.
Names reachable(const Arrows& arrows, const std::string& room) {
  Names found;
  std::vector<std::string> open = {room};
  while (!open.empty()) {
    const std::string here = open.back();
    open.pop_back();
    const auto row = arrows.find(here);
    if (row == arrows.end()) continue;
    for (const std::string& next : row->second) {
      if (found.insert(next).second) open.push_back(next);
    }
  }
  return found;
}

// The arrows that the includes draw, between different rooms.
Arrows drawn_arrows() {
  Arrows drawn;
  for (const std::string& path : all_sources()) {
    Names& to = drawn[room_of(path)];
    for (const std::string& included : includes_of(path)) {
      if (room_of(included) != room_of(path)) to.insert(room_of(included));
    }
  }
  return drawn;
}

TEST_CASE("house: folders include each other only along the arrows of common/README.md") {
  const Arrows arrows = arrows_of(table_of_rooms(read_text("common/README.md")));
  REQUIRE(arrows.size() > 10);
  for (const std::string& path : all_sources()) {
    const std::string room = room_of(path);
    REQUIRE_MESSAGE(arrows.count(room) == 1, room, " is no row of common/README.md");
    const Names may = reachable(arrows, room);
    for (const std::string& included : includes_of(path)) {
      const bool allowed = room_of(included) == room || may.count(room_of(included)) == 1;
      CHECK_MESSAGE(allowed, path, " may not include ", included);
    }
  }
}

TEST_CASE("house: every arrow of the map points down the table, so there is no circle") {
  const auto rows = table_of_rooms(read_text("common/README.md"));
  Names above;
  for (const auto& [room, may] : rows) {
    CHECK_MESSAGE(above.count(room) == 0, room, " has two rows");
    above.insert(room);
    for (const std::string& next : may) {
      CHECK_MESSAGE(above.count(next) == 0, room, " may include ", next, ", which stands above it");
      CHECK_MESSAGE(arrows_of(rows).count(next) == 1, room, " may include ", next, ": no row");
    }
  }
}

TEST_CASE("house: the map promises no room and no arrow that nothing uses") {
  const auto rows = table_of_rooms(read_text("common/README.md"));
  const Arrows drawn = drawn_arrows();
  for (const auto& [room, may] : rows) {
    const bool has_files = room == "stages" || !entries(room).empty();
    CHECK_MESSAGE(has_files, "common/README.md has a row for ", room, ", which has no file");
    if (drawn.count(room) == 0) continue;
    for (const std::string& next : may) {
      Names behind = reachable(arrows_of(rows), next);
      behind.insert(next);
      bool used = false;
      for (const std::string& to : drawn.at(room)) used |= behind.count(to) == 1;
      CHECK_MESSAGE(used, room, " needs no arrow to ", next);
    }
  }
}

TEST_CASE("house: common/make holds rules of the build, and nothing that is compiled") {
  for (const std::string& name : entries("common/make")) {
    CHECK_MESSAGE(!is_source(name), "common/make/", name);
  }
}

TEST_CASE("house: the reader of the map sees a circle and an arrow that points up") {
  const std::string page =
      "| room | what is in it | may include |\n|---|---|---|\n"
      "| `a` | x | `b` |\n| `b` | y `c` | `c` |\n| `c` | z | `a` |\n";
  const auto rows = table_of_rooms(page);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].second == Names{"c"});
  CHECK(reachable(arrows_of(rows), "a") == Names{"a", "b", "c"});
}

}  // namespace
