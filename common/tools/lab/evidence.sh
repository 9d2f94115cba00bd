#!/bin/sh
# evidence.sh CUDA_COMPILE CUDA_LINK EMULATOR_COMPILE EMULATOR_LINK: does the emulator tell the truth?
# Runs the same configs on a GPU under Nsight Compute and on the emulator, and writes
# plots/data/emulator_evidence.csv: ldmatrix instructions, wavefronts and bank conflicts as the
# hardware and as the emulator count them, and how far both are from their references: on
# random inputs the GPU from cuBLAS (0: the same bits), the emulator from a double-precision loop.
# Called by `make evidence`, on a GPU whose counters may be read.
set -u
cuda_compile=$1 cuda_link=$2 emulator_compile=$3 emulator_link=$4
folder=build/evidence
csv=plots/data/emulator_evidence.csv
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1 | tr -d ,)
[ -n "$gpu" ] || { echo "This needs a GPU, and nvidia-smi shows none; nothing was changed"; exit 2; }
metrics=smsp__inst_executed_op_ldsm.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum

# One config a line: the stage, and its fields.
configs="00_naive BK=16 K=1024
00_naive BK=32 K=1024
00_naive BK=48 K=1008
00_naive BK=64 K=1024
00_naive BK=112 K=1008
01_swizzle BK=16 swizzle=32 K=1024
01_swizzle BK=32 swizzle=64 K=1024
01_swizzle BK=64 swizzle=128 K=1024
00_naive BK=64 warps_per_block_m=4 warps_per_block_n=1 K=1024
01_swizzle BK=64 swizzle=128 warps_per_block_m=1 warps_per_block_n=4 K=1024
02_warp_specialized K=1024
03_fused_pipeline K=1024"

build() { # build NUMBER STAGE FIELD=VALUE...
  here=$folder/$1 stage=$2
  shift 2
  mkdir -p "$here"
  common/make/options.sh header "$stage" 90 '' '' M=1024 N=1024 BM=128 BN=128 "$@" > "$here/options.h"
  $cuda_compile -include "$here/options.h" "$stage/main.cu" $cuda_link -o "$here/gpu"
  $emulator_compile -include "$here/options.h" -x c++ "$stage/main.cu" -x none $emulator_link \
    -o "$here/emulated"
}

json() { sed -n "s/.*\"$1\": \([^,]*\),*$/\1/p" "$2"; }
counter() { # counter METRIC FILE: its value in ncu's CSV, without thousands separators
  awk -F'","' -v metric="$1" '$0 ~ metric { value = $NF; gsub(/[",]/, "", value); print value }' "$2"
}

mkdir -p plots/data
n=0
while read -r config; do
  n=$((n + 1))
  build $n $config &
done <<LIST
$configs
LIST
wait

{
  printf 'stage,config,ldmatrix_gpu,ldmatrix_emulator,wavefronts_gpu,conflicts_gpu,conflicts_emulator,'
  echo "exact_error_gpu,exact_error_emulator,random_gpu_from_cublas,random_emulator_from_double,tolerance,gpu,command"
} > $csv.new
n=0
while read -r stage config; do
  n=$((n + 1))
  here=$folder/$n
  ncu --csv --clock-control none -k regex:matmul_kernel -c 1 --metrics $metrics "$here/gpu" --check \
    > "$here/ncu.csv" 2>&1 < /dev/null
  for inputs in integers uniform; do
    "$here/gpu" --check --inputs $inputs --json "$here/gpu.$inputs.json" > /dev/null < /dev/null
    "$here/emulated" --inputs $inputs --json "$here/emulated.$inputs.json" > /dev/null < /dev/null
  done
  set -- "$stage" "$config" "$(counter op_ldsm "$here/ncu.csv")" \
    "$(json ldmatrix "$here/emulated.integers.json")" "$(counter wavefronts "$here/ncu.csv")" \
    "$(counter bank_conflicts "$here/ncu.csv")" "$(json bank_conflicts "$here/emulated.integers.json")" \
    "$(json max_rel_error "$here/gpu.integers.json")" \
    "$(json max_rel_error "$here/emulated.integers.json")" \
    "$(json max_rel_error "$here/gpu.uniform.json")" \
    "$(json max_rel_error "$here/emulated.uniform.json")" \
    "$(json tolerance "$here/gpu.uniform.json")" "$gpu" "make evidence"
  (IFS=,; echo "$*") | tee -a $csv.new
done <<LIST
$configs
LIST
mv $csv.new $csv
