#!/bin/sh
# who_sees.sh CUDA_COMPILE CUDA_LINK EMULATOR_COMPILE EMULATOR_LINK: who notices each defect of
# common/tools/broken/broken.txt? Builds every one that cannot hang for the GPU and for the emulator, and writes
# plots/data/who_sees_the_fault.csv: of 60 launches at M = N = K = 8192, in how many the result check
# finds a wrong result; what racecheck of compute-sanitizer counts at 512; what the emulator reports.
# Called by `make who-sees`, on a GPU. ONLY=02 in the environment measures the rows with that text
# alone, and keeps the others.
set -u
cuda_compile=$1 cuda_link=$2 emulator_compile=$3 emulator_link=$4
folder=build/who_sees
csv=plots/data/who_sees_the_fault.csv
launches=60
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1 | tr -d ,)
[ -n "$gpu" ] || { echo "This needs a GPU, and nvidia-smi shows none; nothing was changed"; exit 2; }
cores=$(nproc 2> /dev/null || echo 2)

options() { # options STAGE SIZE FIELD=VALUE...
  stage=$1 size=$2
  shift 2
  common/make/options.sh header "$stage" 90 '' '' M="$size" N="$size" K="$size" "$@"
}

build() { # build NAME STAGE FIELD=VALUE...
  name=$1 stage=$2 here=$folder/$1.$2
  shift 2
  rm -rf "$here"
  common/tools/broken/break.sh "$name" "$stage" "$here" || return
  options "$stage" 8192 "$@" > "$here/large.h"
  options "$stage" 512 "$@" > "$here/small.h"
  main=$here/$stage/main.cu
  $cuda_compile -include "$here/large.h" "$main" $cuda_link -o "$here/large"
  $cuda_compile -include "$here/small.h" "$main" $cuda_link -o "$here/small"
  $emulator_compile -include "$here/small.h" -x c++ "$main" -x none $emulator_link -o "$here/emulated"
}

# The number in a JSON file; "error" where the run ended without one.
number() { sed -n "s/.*\"$1\": \([0-9][0-9]*\),*/\1/p" "$2" | grep . || echo error; }

list=$(common/tools/broken/break.sh table | awk -F '\t' '$4 == "ends" { print $1, $2, $5 }' | grep "${ONLY:-.}")

mkdir -p $folder plots/data
running=0
while read -r name stage fields; do
  build "$name" "$stage" $fields &
  running=$((running + 1))
  [ $((running % (cores / 3 + 1))) -ne 0 ] || wait
done <<LIST
$list
LIST
wait

echo "break,stage,launches,wrong_launches,racecheck_hazards,emulator_report,gpu,command" > $csv.new
[ -z "${ONLY:-}" ] || sed 1d $csv | grep -v "$ONLY" >> $csv.new
while read -r name stage fields; do
  here=$folder/$name.$stage
  timeout 100 "$here/large" --check --inputs integers --launches $launches --json "$here/large.json" \
    > "$here/large.txt" 2>&1 < /dev/null
  timeout 100 compute-sanitizer --tool racecheck "$here/small" --check --inputs integers \
    > "$here/racecheck.txt" 2>&1 < /dev/null
  "$here/emulated" --check > "$here/emulated.txt" 2>&1 < /dev/null
  hazards=$(sed -n 's/.*RACECHECK SUMMARY: \([0-9]*\) hazard.*/\1/p' "$here/racecheck.txt" | grep . ||
    echo error)
  # Why a run that never waits ends early: what CUDA said, for the log.
  grep -h '^refused' "$here/large.txt" "$here/racecheck.txt" | sort -u | sed "s/^/$name $stage: /"
  report=$(grep -m 1 -E '^(Read too|Refill too|Overlap|Protocol|Divergent|Wrong frag|Bad addr|Deadlock)' \
    "$here/emulated.txt")
  wrong=$(number wrong_launches "$here/large.json")
  echo "$name,$stage,$launches,$wrong,$hazards,$report,$gpu,make who-sees" | tee -a $csv.new
done <<LIST
$list
LIST
mv $csv.new $csv
