#!/bin/sh
# illegal_config.sh STAGE FOLDER COMPILE...: what does a config.h that makes no sense do to the
# tests? Compiles the stage's test program with such a config.h and runs it: the case of the current
# config must fail, with the sentence of the broken rule, and no other. Prints "ok ..." or "FAILED ...".
# COMPILE ends in the objects to link.
export LC_ALL=C
set -u
stage=$1 number=${1%%_*} run=$2/$1
mkdir -p "$2"
shift 2

what="an illegal config.h of $number fails its own case, in a sentence, and no other"
if common/make/options.sh header "$stage" 120 120 '' BM=512 > "$run.h" &&
  "$@" "-DSTAGE=\"$number\"" -include "$run.h" -include "$stage/config.h" -include "$stage/kernel.cuh" \
    "$stage/checks.cpp" common/tests/stage/*.cpp -o "$run" > "$run.txt" 2>&1 &&
  ! "$run" > "$run.txt" 2>&1 &&
  [ "$(grep '^FAILED' "$run.txt")" = "FAILED $number: the current config verifies" ] &&
  grep -q 'BM = 512 must be at most 256' "$run.txt"; then
  echo "ok $what"
else
  echo "FAILED $what"
  sed 's/^/  /' "$run.txt"
fi
echo end 1
