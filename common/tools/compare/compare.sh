#!/bin/sh
# compare.sh PROGRAM...: a row per stage, from its counters program (counters.cpp), all for the same
# problem. The last part of a PROGRAM's path is the stage. Fails where the emulator reports a fault.
export LC_ALL=C
"$1" head || exit 1

status=0 before=
for program in "$@"; do
  stage=${program##*/}
  lines='-'
  # Lines of either file that differ in more than spaces.
  [ -z "$before" ] || lines=$(diff -w "$before/kernel.cuh" "$stage/kernel.cuh" | grep -c '^[<>]')
  "$program" "$lines" || status=1
  before=$stage
done
echo "Averages over one launch; waits are those of threads. The emulator models order, not time."
exit $status
