// Files that are whole or not there, statistics, and text.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "../../host/support/output_files.h"
#include "../../host/support/statistics.h"
#include "../../host/support/text.h"
#include "../support/temporary_directory.h"
#include "../support/text.h"

namespace {

// ---- Files

TEST_CASE("a JSON file is replaced as a whole, and no temporary file stays behind") {
  const TemporaryDirectory directory;
  write_whole_file("--json", directory.file("x"), "old");
  write_whole_file("--json", directory.file("x"), "new");
  CHECK(text_of(directory.file("x")) == "new");
  CHECK(directory.names() == std::vector<std::string>{"x"});
}

TEST_CASE("a CSV file gets one header and a row per run") {
  const TemporaryDirectory directory;
  append_csv_row(directory.file("x"), "a,b\n", "1,2\n");
  append_csv_row(directory.file("x"), "a,b\n", "3,4\n");
  CHECK(text_of(directory.file("x")) == "a,b\n1,2\n3,4\n");
  CHECK(refusal_of([&] { check_csv_columns(directory.file("x"), "a,b\n"); }) == "");
  CHECK(contains(
      refusal_of([&] { check_csv_columns(directory.file("x"), "a,c\n"); }), "other columns"));
}

TEST_CASE("a file that cannot be written is refused before work starts") {
  const TemporaryDirectory directory;
  CHECK(refusal_of([&] { check_writable("--csv", directory.file("x")); }) == "");
  CHECK(contains(
      refusal_of([] { check_writable("--csv", "/nowhere/at/all"); }), "no such directory"));
  CHECK(contains(refusal_of([] { check_writable("--json", "/"); }), "it is a directory"));
}

TEST_CASE("a full disk is noticed") {
  struct stat status;
  if (::stat("/dev/full", &status) != 0) return;  // Linux has one, macOS has not
  CHECK(contains(
      refusal_of([] { write_whole_file("--json", "/dev/full", "{}"); }), "--json /dev/full"));
  CHECK(contains(refusal_of([] { append_csv_row("/dev/full", "a\n", "1\n"); }), "--csv /dev/full"));
}

// ---- Statistics and text

TEST_CASE("the median is the middle sample, or the mean of the middle two") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
}

TEST_CASE("quantiles are interpolated as triton.testing.do_bench does") {
  const std::vector<double> samples = {5, 1, 4, 2, 3};
  CHECK(quantile(samples, 0) == 1);
  CHECK(quantile(samples, 1) == 5);
  CHECK(quantile(samples, 0.2) == doctest::Approx(1.8));
  CHECK(quantile(samples, 0.8) == doctest::Approx(4.2));
  CHECK_THROWS(quantile({}, 0.5));
  CHECK_THROWS(quantile(samples, 1.5));
}

TEST_CASE("big numbers are readable") {
  CHECK(with_commas(7) == "7");
  CHECK(with_commas(101376) == "101,376");
  CHECK(with_commas(1000000) == "1,000,000");
  CHECK(as_bytes(101376) == "101,376 bytes");
  CHECK(as_bytes(256u << 20) == "256.0 MiB");
}

}  // namespace
