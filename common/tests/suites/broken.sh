#!/bin/sh
# broken.sh TABLE NAME STAGE FOLDER COMPILE... : builds the stage with defect NAME of TABLE by the
# command COMPILE (which ends in the objects to link), and demands that the emulator reports what the
# table says, with exit status 1, under every schedule; or nothing, where it says `silent`. Prints a line
# "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
export TABLE="$1"
name=$2 stage=$3 folder=$4
shift 4
schedules="eager lazy random:1 random:2 random:3 random:4 random:5"

common/tools/broken/break.sh "$name" "$stage" "$folder" || { echo "FAILED $name $stage: no copy"; exit; }
expected() { common/tools/broken/break.sh table "$stage" | awk -F '\t' -v name="$name" -v i="$1" '$1 == name { print $i }'; }
kind=$(expected 3) fields=$(expected 5) words=$(expected 6)

# Small: 4 blocks, and 8 k-tiles, so that every buffer is filled more than once.
common/make/options.sh header "$stage" 90 '' '' M=256 N=256 K=512 $fields > "$folder/options.h"
echo "#define CONFIG_BREAK \"$name\"" >> "$folder/options.h"
"$@" -include "$folder/options.h" -x c++ "$folder/$stage/main.cu" -o "$folder/run" ||
  { echo "FAILED $name $stage: does not compile"; exit; }

for schedule in $schedules; do
  seed=${schedule#*:}
  [ "$seed" != "$schedule" ] || seed=1
  rm -f "$folder/run.json"
  "$folder/run" --schedule "${schedule%:*}" --seed "$seed" --json "$folder/run.json" \
    > "$folder/run.txt" 2>&1
  status=$?
  if [ "$kind" = silent ]; then
    if [ $status -eq 0 ]; then
      echo "ok $name $stage --schedule ${schedule%:*} --seed $seed"
    else
      echo "FAILED $name $stage --schedule ${schedule%:*} --seed $seed: exit status $status, not 0"
    fi
  elif [ $status -ne 1 ]; then
    echo "FAILED $name $stage --schedule ${schedule%:*} --seed $seed: exit status $status, not 1"
  elif [ -z "$words" ] || ! tr -s ' \n' '  ' < "$folder/run.txt" | grep -q -F -e "$words"; then
    echo "FAILED $name $stage --schedule ${schedule%:*} --seed $seed: no report says \"$words\""
  elif ! grep -q -E "\"$kind\": ([1-9]|true)" "$folder/run.json"; then
    echo "FAILED $name $stage --schedule ${schedule%:*} --seed $seed: no $kind is counted"
  else
    echo "ok $name $stage --schedule ${schedule%:*} --seed $seed"
  fi
done
echo "end $(echo "$schedules" | wc -w)"
