#!/bin/sh
# fuzz_bites.sh FOLDER FUZZ_COMMAND... : a kernel with a defect (common/tools/broken/broken.txt) must be found by
# `make fuzz`, and reduced to the smallest config that shows it; the sound kernel must pass with the
# same configs. Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1
shift
output=$folder.log
mkdir -p "$folder"

# check DEFECT STAGE WORDS FUZZ_COMMAND...: the reduced command has all WORDS.
check() {
  defect=$1 stage=$2 words=$3
  shift 3
  "$@" STAGES="$stage" COUNT=3 SEED=11 BREAK="$defect" FOLDER="$folder" > "$output" 2>&1
  status=$? wrong=0
  [ $status -eq 1 ] || { wrong=1; echo "exit status $status" >> "$output"; }
  for word in $words; do
    grep -q -F -e " $word " "$output" || { wrong=1; echo "'$word' is not there" >> "$output"; }
  done
  if [ $wrong -eq 0 ]; then echo "ok fuzz finds and reduces $defect of $stage"; else
    echo "FAILED fuzz finds and reduces $defect of $stage"
    head -n 8 "$output" | sed 's/^/       /'
  fi
}

least="M=1 N=1 BM=16 BN=16 BK=16 warps_per_block_m=1 warps_per_block_n=1"
check divergent_mma 00_naive "$least K=8" "$@"
check arrive_without_syncwarp 02_warp_specialized "$least K=24 bk_stages=1" "$@"
check wrong_wk_stage 03_fused_pipeline "M=1 N=1 BM=16 BN=16 wk_stages=2" "$@"
echo end 3
