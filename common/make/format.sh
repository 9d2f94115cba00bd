#!/bin/sh
# format.sh format: formats every source file. format.sh format-check: names those that are not.
export LC_ALL=C
command -v clang-format > /dev/null || {
  echo "clang-format was not found: apt-get install clang-format, or brew install clang-format"
  exit 1
}
files=$(find [0-9][0-9]_* common plots -name '*.h' -o -name '*.cuh' -o -name '*.cu' -o -name '*.cpp' | sort)
case $1 in
  format) clang-format -i $files ;;
  *) clang-format --dry-run -Werror $files ;;
esac
