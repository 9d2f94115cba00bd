#!/bin/sh
# resources.sh FILE...: a row per stage and arch. A FILE is ptxas' account of one kernel, named
# BUILD/STAGE/ptxas.ARCH; beside it lies the stage's preflight, which knows shared memory and
# limits. Fails when a kernel spills or has a stack frame.
export LC_ALL=C
printf '%-20s %6s %9s %11s %11s %11s %11s %9s %8s\n' \
  stage arch registers "spill bytes" "stack bytes" "smem bytes" "smem limit" blocks/SM warps/SM
status=0
for file in "$@"; do
  arch=${file##*.}
  numbers=$(sed -n -e 's/.*Used \([0-9]*\) registers.*/\1/p' "$file")
  # "S bytes stack frame, W bytes spill stores, R bytes spill loads"
  frame=$(sed -n 's/^ *\([0-9]*\) bytes stack frame, \([0-9]*\) .*, \([0-9]*\) .*/\1 \2 \3/p' "$file")
  "${file%/*}/preflight" row "${arch%[af]}" $numbers $frame || status=1
done
[ $# -ne 0 ] && [ $status -eq 0 ] || {
  echo "FAILED: a kernel spills registers, has a stack frame, or no numbers"
  exit 1
}
