#!/bin/sh
# test_illegal_config.sh FOLDER COMPILE...: what does a config.h that makes no sense do to the tests?
# Compiles each stage's test program with such a config.h and runs it: the case of the current config
# must fail, with the sentence of the broken rule, and no other. Prints "ok ..." or "FAILED ...".
# COMPILE ends in the objects to link.
set -u
folder=$1
shift
mkdir -p "$folder"

for checks in [0-9][0-9]_*/checks.cpp; do
  folder_of_stage=${checks%/*}
  stage=${checks%%_*}
  run=$folder/$stage
  what="an illegal config.h of $stage fails its own case, in a sentence, and no other"
  if common/make/options.sh header "$folder_of_stage" 120 120 '' BM=512 > "$run.h" &&
    "$@" "-DSTAGE=\"$stage\"" -include "$run.h" -include "$folder_of_stage/config.h" \
      -include "$folder_of_stage/kernel.cuh" "$checks" common/tests/stage/*.cpp -o "$run" > "$run.txt" 2>&1 &&
    ! "$run" > "$run.txt" 2>&1 &&
    [ "$(grep -c '^TEST CASE:' "$run.txt")" -eq 1 ] &&
    grep -q "^TEST CASE:  $stage: the current config verifies" "$run.txt" &&
    grep -q 'BM = 512 must be at most 256' "$run.txt"; then
    echo "ok $what"
  else
    echo "FAILED $what"
    sed 's/^/  /' "$run.txt"
  fi
done
