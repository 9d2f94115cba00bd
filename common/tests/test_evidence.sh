#!/bin/sh
# test_evidence.sh FOLDER COMPILE...: counts ldmatrix and bank conflicts on the emulator again for
# each row of plots/data/emulator_evidence.csv, and demands what the hardware counted. COMPILE ends in
# the objects to link. Prints a line "ok ..." or "FAILED ..." for each row.
folder=$1
shift
sed 1d plots/data/emulator_evidence.csv |
  while IFS=, read -r stage config ldmatrix _ _ conflicts _; do
    common/make/options.sh header "$stage" 90 '' '' M=1024 N=1024 BM=128 BN=128 $config \
      > "$folder/evidence.h"
    "$@" -include "$folder/evidence.h" -x c++ "$stage/main.cu" -o "$folder/evidence"
    "$folder/evidence" --json "$folder/evidence.json" > "$folder/evidence.log" 2>&1 < /dev/null
    if grep -q "\"ldmatrix\": $ldmatrix," "$folder/evidence.json" &&
      grep -q "\"bank_conflicts\": $conflicts," "$folder/evidence.json"; then
      echo "ok $stage $config: $ldmatrix ldmatrix, $conflicts bank conflicts"
    else
      echo "FAILED $stage $config: the emulator does not count as the hardware did:" \
        "$ldmatrix ldmatrix, $conflicts bank conflicts"
    fi
  done
