#!/bin/sh
# test_illegal_config.sh FOLDER COMPILE...: what does a config.h that makes no sense do to the tests?
# Compiles each stage's checks.cpp with such a config.h and runs it: the case of the current config
# must fail, with the sentence of the broken rule, and no other. Prints "ok ..." or "FAILED ...".
set -u
folder=$1
shift
mkdir -p "$folder"

for checks in [0-9][0-9]_*/checks.cpp; do
  stage=${checks%%_*}
  run=$folder/$stage
  what="an illegal config.h of $stage fails its own case, in a sentence, and no other"
  if "$@" '-DCONFIG_OVERRIDES={"BM", 512},' "$checks" common/tests/main.cpp -o "$run" > "$run.txt" 2>&1 &&
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
