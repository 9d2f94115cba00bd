// A test program of three cases, of which the second does what the environment says: test_runner.sh
// must see each of it fail.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

TEST_CASE("the case before") { CHECK(true); }

TEST_CASE("the planted case") {
  const char* const planted = std::getenv("PLANTED");
  const std::string fault = planted != nullptr ? planted : "";
  if (fault == "assertion") CHECK(false);
  if (fault == "exception") throw std::runtime_error("planted");
  if (fault == "signal") std::raise(SIGABRT);
  if (fault == "exit") ::_exit(0);
  if (fault == "hang") ::pause();
}

TEST_CASE("the case behind") { CHECK(true); }
