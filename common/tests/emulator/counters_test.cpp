// The list of counters: what its rows name is there.
#include "../../emulator/counters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "../../host/run/report.h"

TEST_CASE(
    "counters.inc: what a line or a column names is a counter; columns have their own places") {
  const emulator::Counters counters;
  CHECK(counters_text(counters).find('{') == std::string::npos);  // throws where a name is wrong
  std::set<int> places;
  for (const emulator::CounterRow& row : emulator::counter_rows) {
    const emulator::CounterRow::Column& column = row.column;
    if (column.place == 0) continue;
    CHECK(places.insert(column.place).second);
    const std::string heading = column.heading;
    CHECK(std::count(heading.begin(), heading.end(), '/') == 3);
    if (std::string(column.per) != "k-tile") CHECK(emulator::value_of(counters, column.per) == 0);
  }
}
