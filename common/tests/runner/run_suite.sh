#!/bin/sh
# run_suite.sh RUN REPORT INPUT... -- COMMAND...: runs a suite of tests, and writes how it went.
#
# A suite is a command that prints a line "ok WHAT" or "FAILED WHAT" for each check, what it likes
# between them, and when it is through "end", or "end NUMBER" where it knows how many checks were
# due. One that ends in another way, or is not through after $SUITE_SECONDS, has failed whatever it
# printed.
#
# REPORT gets the lines "ok" and "FAILED" between a line "run RUN" and a line "end"; all that was
# said is in REPORT.log. A suite that has passed is not run again as long as COMMAND and the
# contents of all INPUTs stay the same: then only the line of the run is new. sum_suites.sh adds the
# reports up.
export LC_ALL=C
set -u
run=$1 report=$2
shift 2
name=${report##*/} folder=${report%/*}
seconds=${SUITE_SECONDS:-1800}
inputs=
while [ "$1" != -- ]; do
  inputs="$inputs $1"
  shift
done
shift

mkdir -p "$folder"
# A file that cannot be read is a reason to run.
key=$({ cat $inputs 2>&1 || echo "$run"; echo "$inputs : $*"; } | cksum)
if [ "$(sed -n 2p "$report" 2> /dev/null)" = "key $key" ] && ! grep -q '^FAILED ' "$report" &&
  [ "$(tail -n 1 "$report")" = end ]; then
  { echo "run $run"; sed 1d "$report"; } > "$report.new" && mv -f "$report.new" "$report"
  exit
fi

echo "TEST  $name"
rm -f "$report"
"${folder%/*}/watchdog" "$seconds" "$@" > "$report.log" 2>&1 < /dev/null
status=$?

# What of it failed as a whole, in one line.
awk -v name="$name" -v status=$status '
  /^ok / { ok++; ended = 0 }
  /^FAILED / { failed++; ended = 0 }
  /^end( [0-9]+)?$/ { ended = 1; if (NF > 1) { counted = 1; due += $2 } }
  sub(/^watchdog: /, "") { why = $0 }
  END {
    made = ok + failed
    if (status > 128 || status == 124) wrong = why != "" ? why : "ended with status " status
    else if (status != 0 && !failed) wrong = "ended with status " status
    else if (made == 0) wrong = "no check was made"
    else if (!ended || (name ~ /cases/ && !counted)) wrong = "stopped before its end"
    else if (counted && due != made) wrong = due " checks were due, and " made " were made"
    if (wrong) print "FAILED " name ": " wrong
  }' "$report.log" > "$report.new"
cat "$report.new" >> "$report.log"
{
  echo "run $run"
  echo "key $key"
  awk '/^(ok|FAILED) /' "$report.log"
  echo end
} > "$report.new" && mv -f "$report.new" "$report"
