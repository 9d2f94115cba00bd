#!/bin/sh
# test.sh test|test-all TEST_PROGRAM... REPORT.txt... [GPU_PROGRAM...]: runs what make has built, counts
# the lines "ok ..." and "FAILED ..." of the reports, and closes with a line "N passed, N failed".
# Fails when something did.
kind=$1
shift
passed=0 failed=0

# count STATUS WHAT: one check more; it passed if the status is 0.
count() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $2"
  fi
}

# The doctest programs. What takes long is decorated with skip().
run_program() {
  program=$1
  log=$program.log
  slow=$([ "$kind" != test-all ] || echo --no-skip)
  "$program" $slow > "$log" 2>&1
  status=$?
  cat "$log"
  cases=$(sed -n 's/.*test cases:[ 0-9]*| *\([0-9]*\) passed *| *\([0-9]*\) failed.*/\1 \2/p' "$log")
  if [ -n "$cases" ]; then
    passed=$((passed + ${cases% *})) failed=$((failed + ${cases#* }))
    [ $status -eq 0 ] || [ "${cases#* }" -gt 0 ] || count 1 "$program ended with status $status"
  else
    count 1 "$program ended with status $status and no summary"
  fi
}
for program in "$@"; do
  case $program in */run) run_program "$program" ;; esac
done

# What make has tried already: configs that must not compile, defects that must be reported.
for report in "$@"; do
  case $report in
    *.txt)
      grep '^FAILED' "$report"
      passed=$((passed + $(grep -c '^ok' "$report")))
      failed=$((failed + $(grep -c '^FAILED' "$report")))
      grep -q -E '^(ok|FAILED)' "$report" || count 1 "$report says nothing"
      ;;
  esac
done

# One program for all stages.
for main in [0-9][0-9]_*/main.cu; do
  cmp -s "$main" 00_naive/main.cu
  count $? "$main differs from 00_naive/main.cu"
done

for gpu_program in "$@"; do
  case $gpu_program in *.txt | */run) continue ;; esac
  "$gpu_program" --check > "$gpu_program.log" 2>&1
  status=$?
  [ $status -eq 0 ] || cat "$gpu_program.log"
  count $status "$gpu_program --check"
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
