#!/bin/sh
# sum_suites.sh RUN FOLDER NAME...: adds up the reports of these suites in FOLDER, which
# run_suite.sh wrote. Shows what was said where something failed, and closes with a line "N passed,
# N failed". A suite without a whole report of this run has failed.
export LC_ALL=C
set -u
run=$1 folder=$2
shift 2
passed=0 failed=0

fail() {
  failed=$((failed + 1))
  echo "FAILED $1"
}

for name in "$@"; do
  report=$folder/$name
  if [ ! -s "$report" ]; then
    fail "$name: it has left no report"
  elif [ "$(head -n 1 "$report")" != "run $run" ]; then
    fail "$name: its report is not of this run"
  elif [ "$(tail -n 1 "$report")" != end ]; then
    fail "$name: its report is not whole"
  else
    right=$(grep -c '^ok ' "$report") wrong=$(grep -c '^FAILED ' "$report")
    passed=$((passed + right)) failed=$((failed + wrong))
    [ $((right + wrong)) -ne 0 ] || fail "$name: its report says nothing"
    [ "$wrong" -eq 0 ] || { echo "---- $name"; sed -e '/^ok /d' -e '/^end/d' "$report.log"; }
  fi
done
[ $# -ne 0 ] || fail "there is no suite"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
