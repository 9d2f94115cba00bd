#!/bin/sh
# experiments.sh CUDA_COMPILE CUDA_LINK: what would each change of common/experiments.txt bring? Builds
# stage 03 as it is and with each of them, for two tiles, and writes plots/data/experiments.csv: cycles
# of one launch at M = N = K = 8192 and the share of them in which the tensor pipe is active (Nsight
# Compute; cycles do not depend on the clock that a power cap leaves), and wrong results of 60 launches.
# Called by `make experiments`, on a GPU whose counters may be read.
set -u
cuda_compile=$1 cuda_link=$2
folder=build/experiments
csv=plots/data/experiments.csv
stage=03_fused_pipeline
launches=60
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1 | tr -d ,)
[ -n "$gpu" ] || { echo "This needs a GPU, and nvidia-smi shows none; nothing was changed"; exit 2; }
metrics=sm__cycles_elapsed.max,sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active

configs="BM=128 BN=128 bk_stages=3
BM=128 BN=256 warps_per_block_n=4 bk_stages=4"
names="as_it_is $(TABLE=common/experiments.txt common/make/break.sh list)"

build() { # build FOLDER NAME FIELD=VALUE...
  here=$1 name=$2
  shift 2
  mkdir -p "$here"
  source=.
  if [ "$name" != as_it_is ]; then
    source=$here
    TABLE=common/experiments.txt common/make/break.sh "$name" $stage "$here" || return
  fi
  common/make/options.sh header $stage 90 '' '' "$@" > "$here/options.h"
  $cuda_compile -include "$here/options.h" "$source/$stage/main.cu" $cuda_link -o "$here/run"
}

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

echo "experiment,config,cycles,tensor_active_percent,launches,wrong_launches,gpu,command" > $csv.new
number=0
while read -r config; do
  number=$((number + 1))
  for name in $names; do
    here=$folder/$number.$name
    ncu --csv --clock-control none -k regex:matmul_kernel -c 1 --metrics $metrics "$here/run" --check \
      > "$here/ncu.csv" 2>&1 < /dev/null
    "$here/run" --check --inputs integers --launches $launches --json "$here/run.json" \
      > "$here/run.txt" 2>&1 < /dev/null
    wrong=$(sed -n 's/.*"wrong_launches": \([0-9][0-9]*\),*/\1/p' "$here/run.json" | grep . || echo error)
    printf '%s,%s,%s,%s,%s,%s,%s,make experiments\n' "$name" "$config" "$(value cycles_elapsed "$here/ncu.csv")" \
      "$(value tensor_cycles "$here/ncu.csv")" $launches "$wrong" "$gpu" | tee -a $csv.new
  done
done <<LIST
$configs
LIST
mv $csv.new $csv
