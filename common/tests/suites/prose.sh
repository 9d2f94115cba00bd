#!/bin/sh
# prose.sh STAGE...: what is written by hand of each stage is there: its lesson, and its name where a
# reader comes from. Prints "ok ..." or "FAILED ..." for each.
# prose.sh listed: prints the stages that have a row in the table of README.md.
export LC_ALL=C
set -u

listed=$(sed -n '/^## The stages/,/^## [^T]/s/^| \[\([0-9][0-9]_[^]]*\)\](\1) |.*/\1/p' README.md 2> /dev/null)
if [ "$1" = listed ]; then
  echo "$listed"
  exit
fi

# has FILE TEXT: a line of FILE has TEXT, over line breaks as well.
has() {
  if tr '\n' ' ' 2> /dev/null < "$1" | grep -q -F -e "$2"; then
    echo "ok prose of $stage: $1"
  else
    echo "FAILED prose of $stage: $1 does not say: $2"
  fi
}

way=$(echo "$*" | sed 's/ / > /g')
for stage in "$@"; do last=$stage; done
before=
for stage in "$@"; do
  number=${stage%%_*}
  if echo "$listed" | grep -qx "$stage"; then
    echo "ok prose of $stage: its row in README.md"
  else
    echo "FAILED prose of $stage: README.md has no row for it under The stages"
  fi
  has "$stage/README.md" "# $stage: "
  has "$stage/kernel.cuh" "// Matmul on sm_120, step by step: $stage // // $way //"
  has "$stage/kernel.cuh" "// Run: make $number && ./$stage/run"
  has "$stage/checks.cpp" "// Checks of $stage: "
  if [ -n "$before" ]; then
    has "$stage/README.md" "make diff FROM=${before%%_*} TO=$number"
    has "$stage/README.md" "Before: [$before](../$before)."
    has "$before/README.md" "Next: [$stage](../$stage), or \`make diff FROM=${before%%_*} TO=$number\`."
  fi
  before=$stage
done
has README.md "$1 .. $last "
echo end
