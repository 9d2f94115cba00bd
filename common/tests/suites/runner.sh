#!/bin/sh
# runner.sh FOLDER WATCHDOG MAIN.o COMPILE...: does the runner of the tests see what goes wrong?
# Each suite below fails in its own way, and must be named as a failure; a good one must pass.
# Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1/planted watchdog=$2 main=$3
shift 3
here=common/tests/runner
reports=$folder/reports output=$folder/output input=$folder/input
rm -rf "$folder" && mkdir -p "$reports" && cp "$watchdog" "$folder/watchdog" && : > "$input" ||
  exit 1
run=1

subject=runner
. common/tests/support/verdict.sh

# The two halves of the runner, for suites of these tests. The sum goes to $output.
suite() {
  name=$1
  shift
  $here/run_suite.sh $run "$reports/$name" "$input" -- "$@" > "$folder/started"
}
sum() { $here/sum_suites.sh $run "$reports" "$@" > "$output" 2>&1; }

# The sum has failed, with a line "FAILED WORDS" and some failures in its closing line.
failed_with() {
  status=$?
  [ $status -ne 0 ] && grep -q -x -e "FAILED $1" "$output" &&
    tail -n 1 "$output" | grep -q -x '[0-9]* passed, [1-9][0-9]* failed'
}
passed_with() { [ $? -eq 0 ] && [ "$(tail -n 1 "$output")" = "$1 passed, 0 failed" ]; }

# planted WORDS WHAT COMMAND...: a suite that ends in the way that WORDS tell.
planted() {
  words=$1 what=$2
  shift 2
  suite planted "$@"
  sum planted
  failed_with "$words"
  verdict $? "$what fails"
}

suite good sh -c 'echo "ok one"; echo talk; echo "ok two"; echo end'
sum good
passed_with 2
verdict $? "a good suite passes"
suite good sh -c 'echo "ok one"; echo "ok two"; echo end 2'
sum good
passed_with 2
verdict $? "and one that knows its number"

# ---- How a suite may end

planted 'planted: ended with status 1' "exit status 1 behind good lines" \
  sh -c 'echo "ok one"; echo end; exit 1'
planted 'planted: ended by signal 11 .*' "a signal" sh -c 'echo "ok one"; echo end; kill -SEGV $$'
planted 'planted: ended by signal 11 .*' "a signal behind a failure" \
  sh -c 'echo "FAILED one"; kill -SEGV $$'
planted 'planted: no check was made' "a suite that says nothing" true
planted 'planted: no check was made' "one that does nothing but end" echo end
planted 'planted: stopped before its end' "one that stops half way" sh -c 'echo "ok one"; exit 0'
planted 'planted: stopped before its end' "one that goes on behind its end" \
  sh -c 'echo "ok one"; echo end; echo "ok two"'
planted 'planted: 3 checks were due, and 2 were made' "one with too few checks" \
  sh -c 'echo "ok one"; echo "ok two"; echo end 3'
planted 'one of two' "a line FAILED at status 0" \
  sh -c 'echo "FAILED one of two"; echo "ok two"; echo end'
planted 'planted: ended with status 127' "a command that is not there" "$folder/no_such_program"
SUITE_SECONDS=1 planted 'planted: still running after 1 seconds' "a suite that hangs" \
  sh -c 'echo "ok one"; trap "" TERM INT HUP; (sleep 2; echo > "$0") & wait' "$folder/left_behind"

suite cases.planted sh -c 'echo "ok one"; echo end'
sum cases.planted
failed_with 'cases.planted: stopped before its end'
verdict $? "a test program that does not say how many cases were due fails"

# ---- What may happen to a report

sum good no_such_suite
failed_with 'no_such_suite: it has left no report'
verdict $? "a suite that was not run fails"
: > "$reports/empty"
sum empty
failed_with 'empty: it has left no report'
verdict $? "an empty report fails"
sed '$d' "$reports/good" > "$reports/torn"
sum torn
failed_with 'torn: its report is not whole'
verdict $? "a report without its end fails"
sed '/^ok/d' "$reports/good" > "$reports/silent"
sum silent
failed_with 'silent: its report says nothing'
verdict $? "a report without a check fails"
run=2
sum good
failed_with 'good: its report is not of this run'
verdict $? "a report of the run before fails"
sum
failed_with 'there is no suite'
verdict $? "no suite at all fails"

# ---- What is not run again

# ran: whether the runner has started it, and not kept its report.
ran() { grep -q '^TEST' "$folder/started"; }
count='echo "ok one"; echo end'
suite kept sh -c "$count"
run=3
suite kept sh -c "$count"
! ran && sum kept && passed_with 1
verdict $? "a suite that has passed is kept, and counted"
echo more >> "$input"
suite kept sh -c "$count"
ran
verdict $? "but not where something changed that it depends on"
suite kept sh -c "$count # and more"
ran
verdict $? "nor where its command did"
suite kept sh -c "$count # and more"
rm "$input"
suite kept sh -c "$count # and more"
ran
verdict $? "nor where what it depends on is missing"
: > "$input"
fails='echo "FAILED one"; echo end'
suite bad sh -c "$fails"
run=4
suite bad sh -c "$fails"
ran && { sum bad; failed_with one; }
verdict $? "a suite that has failed is run again, and still fails"
suite bad sh -c 'echo "ok one"; exit 1'
suite bad sh -c 'echo "ok one"; exit 1'
ran
verdict $? "one that ended in a wrong way, too"

# ---- Test programs

program=$folder/program
"$@" $here/planted.cpp "$main" -o "$program" > "$output" 2>&1
verdict $? "a test program builds"
suite program "$program"
sum program
passed_with 3
verdict $? "a good test program passes"
for fault in assertion exception; do
  planted 'the planted case' "a test program with an $fault" env PLANTED=$fault "$program"
done
planted 'planted: ended by signal 6 .*' "a test program that dies" env PLANTED=signal "$program"
planted 'planted: stopped before its end' "one that exits half way" env PLANTED=exit "$program"
SUITE_SECONDS=1 planted 'planted: still running after 1 seconds' "one that hangs" \
  env PLANTED=hang "$program"
planted 'planted: no check was made' "one without cases" "$program" '-tc=no such case'
planted 'planted: no check was made' "a name that no case has" \
  $here/run_cases.sh 'no such case' --no-skip=false "$program" "$program"
suite program $here/run_cases.sh '*planted*' --no-skip=false "$program" "$program"
sum program
passed_with 2
verdict $? "cases by their name, from several programs"
planted 'planted: ended with status 1' "a program that cannot be asked for its cases" \
  $here/run_cases.sh '*planted*' --no-skip=false "$folder/no_such_program" "$program"

# ---- What make knows

for script in common/tests/suites/*.sh common/tests/suites/*.py; do
  name=$(basename "${script%.*}")
  grep -n -w -e "$name" common/make/suites.mk | grep -v ':#' > "$output"
  verdict $? "suites.mk has a rule for $script"
done

sleep 1  # in case the compiler was quick
[ ! -e "$folder/left_behind" ]
verdict $? "what a suite that hung had started has ended with it"
echo end
