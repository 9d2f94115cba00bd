#!/bin/sh
# doctest.sh CXX FLAGS...: prints the command line if it can compile tests, else says what to
# install.
export LC_ALL=C
echo "#include <doctest/doctest.h>" | "$@" -fsyntax-only -x c++ - 2> /dev/null || {
  echo "doctest was not found: apt-get install doctest-dev, or brew install doctest" >&2
  exit 1
}
echo "$@"
