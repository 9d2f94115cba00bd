// Files that are whole or not there, statistics, and text.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <clocale>
#include <cstdlib>
#include <locale>
#include <thread>

#include "../../host/support/csv.h"
#include "../../host/support/output_files.h"
#include "../../host/support/statistics.h"
#include "../../host/support/system.h"
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

TEST_CASE("a CSV file from before a column was added gets it, empty in its rows") {
  const TemporaryDirectory directory;
  append_csv_row(directory.file("x"), "a,b\n", "1,2\n");
  append_csv_row(directory.file("x"), "a,b\n", "3,4\n");
  CHECK(refusal_of([&] { check_csv_columns(directory.file("x"), "a,b,c,d\n"); }) == "");
  append_csv_row(directory.file("x"), "a,b,c,d\n", "5,6,7,8\n");
  CHECK(text_of(directory.file("x")) == "a,b,c,d\n1,2,,\n3,4,,\n5,6,7,8\n");
  // Not one that only begins alike, or has more columns than are written.
  CHECK(contains(
      refusal_of([&] { check_csv_columns(directory.file("x"), "a,b,c,dd,e\n"); }),
      "other columns"));
  CHECK(contains(
      refusal_of([&] { check_csv_columns(directory.file("x"), "a,b\n"); }), "other columns"));
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

// Whether `action` is refused in a process whose files may not grow over `bytes`: as on a full
// disk.
template <class Action>
bool refused_beyond(rlim_t bytes, const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit = {bytes, bytes};
    ::signal(SIGXFSZ, SIG_IGN);
    ::_exit(
        ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && contains(refusal_of(action), "large") ? 0 : 1);
  }
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST_CASE("what does not fit on the disk leaves the file as it was, and no other beside it") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x"), other_name = directory.file("y");
  directory.write("x", "a,b\n1,2\n");
  CHECK(refused_beyond(10, [&] { append_csv_row(path, "a,b\n", "3,4\n"); }));
  CHECK(refused_beyond(10, [&] { write_whole_file("--json", path, "more than ten bytes"); }));
  CHECK(text_of(path) == "a,b\n1,2\n");
  CHECK(directory.names() == std::vector<std::string>{"x"});
  REQUIRE(::link(path.c_str(), other_name.c_str()) == 0);  // is written in place
  CHECK(refused_beyond(10, [&] { write_whole_file("--json", path, "more than ten bytes"); }));
  CHECK(text_of(path) == "a,b\n1,2\n");
  CHECK(refused_beyond(2, [&] { append_csv_row(directory.file("z"), "a,b\n", "3,4\n"); }));
  CHECK(directory.names() == std::vector<std::string>{"x", "y"});
}

std::string read_all(int descriptor) {
  char text[256];
  const ssize_t length = ::read(descriptor, text, sizeof text);
  return std::string(text, length > 0 ? static_cast<size_t>(length) : 0);
}

TEST_CASE("case 38: a FIFO, a device and an open descriptor are written, and stay what they are") {
  const TemporaryDirectory directory;
  const std::string fifo = directory.file("fifo"), device = directory.file("null");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  write_whole_file("--json", fifo, "{}");
  append_csv_row(fifo, "a\n", "1\n");
  CHECK(read_all(reader) == "{}a\n1\n");
  ::close(reader);
  REQUIRE(::symlink("/dev/null", device.c_str()) == 0);
  write_whole_file("--json", device, "{}");
  CHECK(std::filesystem::is_symlink(device));
  CHECK(std::filesystem::is_character_file(device));

  // A descriptor of a file, as of `3> file`: behind what was written to it before.
  const int opened = ::open(directory.file("x").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(::write(opened, "before ", 7) == 7);
  const std::string number = std::to_string(opened);
  const std::string link = directory.file("link");
  REQUIRE(::symlink(("/dev/fd/" + number).c_str(), link.c_str()) == 0);
  for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number, link}) {
    check_writable("--json", name);
    write_whole_file("--json", name, "{}");
    append_csv_row(name, "a\n", "1\n");
  }
  CHECK(text_of(directory.file("x")) == "before {}a\n1\n{}a\n1\n{}a\n1\n");
  ::close(opened);
  CHECK(contains(refusal_of([&] { check_writable("--csv", link); }), "Bad file descriptor"));
  CHECK(directory.names() == std::vector<std::string>{"fifo", "link", "null", "x"});
}

TEST_CASE("case 39: a link is followed, and a file keeps its mode and its other names") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("far"));
  directory.write("far/x", "a\n");
  REQUIRE(::chmod(directory.file("far/x").c_str(), 0664) == 0);
  REQUIRE(::symlink("far/x", directory.file("near").c_str()) == 0);
  REQUIRE(::symlink("far/new", directory.file("dangling").c_str()) == 0);
  const mode_t before = ::umask(077);
  append_csv_row(directory.file("near"), "a\n", "1\n");
  CHECK(text_of(directory.file("far/x")) == "a\n1\n");
  write_whole_file("--json", directory.file("near"), "new");
  write_whole_file("--json", directory.file("dangling"), "new");
  ::umask(before);
  struct stat status;
  REQUIRE(::stat(directory.file("far/x").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0664);
  for (const char* link : {"near", "dangling"}) {
    CHECK(std::filesystem::is_symlink(directory.file(link)));
    CHECK(text_of(directory.file(link)) == "new");
  }
  REQUIRE(::link(directory.file("far/x").c_str(), directory.file("twin").c_str()) == 0);
  write_whole_file("--json", directory.file("near"), "newer");
  CHECK(text_of(directory.file("twin")) == "newer");
  REQUIRE(::symlink("circle", directory.file("circle").c_str()) == 0);
  CHECK(refusal_of([&] { check_writable("--json", directory.file("circle")); }) != "");
}

TEST_CASE("case 47: a row has a line of its own, whatever the last line lacks and whoever writes") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x");
  directory.write("x", "a,b\n1,2");
  append_csv_row(path, "a,b\n", "3,4\n");
  CHECK(text_of(path) == "a,b\n1,2\n3,4\n");

  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; writer++) {
    writers.emplace_back([&] {
      for (int row = 0; row < 25; row++) append_csv_row(directory.file("y"), "a,b\n", "5,6\n");
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::string expected = "a,b\n";
  for (int row = 0; row < 100; row++) expected += "5,6\n";
  CHECK(text_of(directory.file("y")) == expected);
}

// ---- Memory

TEST_CASE("case 52: the memory of a program is that of the machine, or its container's limit") {
  const TemporaryDirectory root;
  const double installed = memory_limit(root.file("nowhere"));
  CHECK(installed > 1e8);
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root.file(path)).parent_path());
    root.write(path, text);
  };
  // Version 2: the least of a group and those that it is in.
  std::filesystem::create_directories(root.file("sys/fs/cgroup/a/b"));
  write("proc/self/cgroup", "0::/a/b\n");
  CHECK(memory_limit(root.file("")) == installed);
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/memory.max", "8388608\n");
  CHECK(memory_limit(root.file("")) == 8388608);
  write("sys/fs/cgroup/memory.max", "4194304\n");  // as a container sees its own
  CHECK(memory_limit(root.file("")) == 4194304);
  // Version 1, where a container names a group that it does not see.
  write("proc/self/cgroup", "5:cpu,cpuacct:/c\n4:memory:/docker/abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  CHECK(memory_limit(root.file("")) == installed);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152\n");
  CHECK(memory_limit(root.file("")) == 2097152);
  write("proc/meminfo", "MemFree: 9 kB\nMemAvailable:     1024 kB\n");
  CHECK(available_memory(root.file("")) == 1048576);
  write("proc/meminfo", "MemAvailable: 1048576 kB\n");
  CHECK(available_memory(root.file("")) == 2097152);
}

// ---- Statistics and text

// The C library keeps for good what it has read of LOCPATH; LeakSanitizer asks this for such names.
extern "C" const char* __lsan_default_suppressions() { return "leak:argz_add_sep\n"; }

TEST_CASE(
    "case 41: numbers are written and read with a point where the program's locale has none") {
  if (std::system("command -v localedef > /dev/null") != 0) {
    std::puts("skipped: there is no localedef");
    return;
  }
  const TemporaryDirectory directory;
  directory.write(
      "source",
      "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3\nEND LC_NUMERIC\n");
  std::system(("localedef -c -f ANSI_X3.4-1968 -i " + directory.file("source") + " " +
               directory.file("comma") + " 2> /dev/null")
                  .c_str());
  REQUIRE(::setenv("LOCPATH", directory.file("comma/..").c_str(), 1) == 0);
  REQUIRE(std::setlocale(LC_NUMERIC, "comma") != nullptr);
  const std::locale before = std::locale::global(std::locale("comma"));
  CHECK(std::atof("0.5") == 0);  // the program's locale has a comma indeed
  const std::string texts = format("%.1f ", 0.5) + csv_number(0.25) + " " + as_bytes(3 << 19);
  const double number = number_in("0.5");
  std::locale::global(before);
  std::setlocale(LC_NUMERIC, "C");
  ::unsetenv("LOCPATH");
  CHECK(texts == "0.5 0.25 1.5 MiB");
  CHECK(number == 0.5);
}

TEST_CASE("a line of a report is no wider than a page, and loses no word") {
  const std::string word(30, 'x');
  const std::string three = word + " " + word + " " + word;
  CHECK(wrapped("", 4) == "");
  CHECK(wrapped("short\n  short\n", 4) == "short\n  short\n");
  CHECK(wrapped("  " + three + "\nshort", 4) == "  " + three + "\nshort");
  CHECK(wrapped("  " + three + " y z", 4) == "  " + three + " y z");
  CHECK(wrapped("  " + three + " " + three + "\n", 4) == "  " + three + "\n      " + three + "\n");
  const std::string wide(200, 'x');
  CHECK(wrapped("  " + wide + " " + wide, 4) == "  " + wide + "\n      " + wide);
}

TEST_CASE("one of a thing is not counted in the plural") {
  CHECK(counted(1, "block") == "1 block");
  CHECK(counted(0, "block") == "0 blocks");
  CHECK(counted(1024, "block") == "1,024 blocks");
}

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
