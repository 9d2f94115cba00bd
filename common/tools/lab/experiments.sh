#!/bin/sh
# experiments.sh CUDA_COMPILE CUDA_LINK LIMITS: what would each change of common/tools/lab/experiments.txt bring? Builds
# stage 03 as it is and with each of them, for three configs, and writes plots/data/experiments.csv: cycles
# of one launch at M = N = K = 8192 and the share of them in which the tensor pipe is active (Nsight
# Compute; cycles hardly depend on the clock that a power cap leaves), wrong results of 60 launches, and
# the speed beside that of mma.sync on registers alone, with which it takes turns, and the SM clock.
# A config that exceeds the limits of arch LIMITS is left out. Nothing is written if anything else fails.
# Called by `make experiments`, on a GPU whose counters may be read.
set -u
cuda_compile=$1 cuda_link=$2 limits=$3
folder=build/experiments
csv=plots/data/experiments.csv
stage=03_fused_pipeline
launches=60
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1 | tr -d ,)
[ -n "$gpu" ] || { echo "This needs a GPU, and nvidia-smi shows none; nothing was changed"; exit 2; }
metrics=sm__cycles_elapsed.max,sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active

# Two blocks to an SM of an H200; one, as on sm_120, by more buffers than two blocks have room for; and
# the preset of the H200.
configs="BM=128 BN=128 bk_stages=3
BM=128 BN=128 bk_stages=5
BM=256 BN=160 warps_per_block_m=4 bk_stages=3"
names="as_it_is $(TABLE=common/tools/lab/experiments.txt common/tools/broken/break.sh list)"

build() { # build FOLDER NAME FIELD=VALUE...
  here=$1 name=$2
  shift 2
  rm -rf "$here" && mkdir -p "$here" || return
  source=. link=$cuda_link
  if [ "$name" != as_it_is ]; then
    source=$here
    TABLE=common/tools/lab/experiments.txt common/tools/broken/break.sh "$name" $stage "$here" || return
    # An edited file of the host program takes the place of its object.
    for edited in $(awk -v name="$name" '$1 == "defect" { mine = $2 == name }
      mine && $1 == "edit" && $2 ~ /common.host/ { print $2 }' common/tools/lab/experiments.txt); do
      object=${edited#../common/}; object=${object%.cu}.o
      link="$here/$stage/$edited $(printf '%s\n' $link | grep -v "/$object\$" | tr '\n' ' ')"
    done
  fi
  common/make/options.sh header $stage "$limits" '' '' "$@" > "$here/options.h"
  $cuda_compile -include "$here/options.h" "$source/$stage/main.cu" $link -o "$here/run"
}

json() { sed -n "s/.*\"$1\": \([0-9.][0-9.e+-]*\),*\$/\1/p" "$2"; } # json KEY FILE: a number

value() { # value METRIC FILE
  awk -F'","' -v metric="$1" '$0 ~ metric { value = $NF; gsub(/[",]/, "", value); print value }' "$2"
}

mkdir -p plots/data
number=0
while read -r config; do
  number=$((number + 1))
  for name in $names; do build $folder/$number.$name "$name" $config & done
  wait
done <<LIST
$configs
LIST

{
  printf 'experiment,config,cycles,tensor_active_percent,tflops,mma_peak_tflops,clock_mhz,power_w,launches,'
  echo "wrong_launches,gpu,command"
} > $csv.new
number=0 failed=
while read -r config; do
  number=$((number + 1))
  [ -x "$folder/$number.as_it_is/run" ] || { echo "left out, since it does not build for this GPU: $config"; continue; }
  for name in $names; do
    here=$folder/$number.$name
    [ -x "$here/run" ] || { failed="$failed $name ($config)"; continue; }
    ncu --csv --clock-control none -k regex:matmul_kernel -c 1 --metrics $metrics "$here/run" --check \
      > "$here/ncu.csv" 2>&1 < /dev/null
    [ "$(value cycles_elapsed "$here/ncu.csv")" ] || { failed="$failed $name ($config)"; continue; }
    "$here/run" --bench --launches $launches --json "$here/run.json" > "$here/run.txt" 2>&1 < /dev/null
    printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,make experiments\n' "$name" "$config" \
      "$(value cycles_elapsed "$here/ncu.csv")" "$(value tensor_cycles "$here/ncu.csv")" \
      "$(json tflops "$here/run.json")" "$(json mma_peak_tflops "$here/run.json")" \
      "$(json clock_mhz "$here/run.json")" "$(json power_w "$here/run.json")" \
      $launches "$(json wrong_launches "$here/run.json" | grep . || echo error)" "$gpu" | tee -a $csv.new
  done
done <<LIST
$configs
LIST
if [ "$failed" ] || [ "$(wc -l < $csv.new)" -lt 2 ]; then
  rm -f $csv.new
  echo "$csv stays as it was: not built or not measured:${failed:- any}"
  exit 1
fi
mv $csv.new $csv
