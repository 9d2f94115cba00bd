#!/bin/sh
# gpu_refusals.sh FOLDER CXX COMPILE... : what a program that was built for a GPU says on a machine that
# is not as it needs it. COMPILE ends in the objects and libraries, without -gencode. Most of it needs
# no GPU: a stand-in for the driver's library says what an old driver would. With a GPU, also what it
# refuses there. Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1 cxx=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
output=$folder/output

# program NAME ARCH FIELDS...
program() {
  name=$1 arch=$2
  shift 2
  mkdir -p "$folder/$name"
  common/make/options.sh header 00_naive "${arch%a}" "$arch" '' "$@" > "$folder/$name/options.h"
  $compile -gencode "arch=compute_$arch,code=sm_$arch" -include "$folder/$name/options.h" \
    00_naive/main.cu $objects -o "$folder/$name/run" > "$output" 2>&1 ||
    { echo "FAILED gpu_refusals: $name does not build"; cat "$output"; exit; }
}
# The objects come last, after main.cu.
compile= objects=
for word in "$@"; do
  case $word in *.o | -l*) objects="$objects $word" ;; *) compile="$compile $word" ;; esac
done

subject=gpu_refusals
. common/tests/support/verdict.sh

gpu=$(common/make/gpus.sh compute_cap | head -n 1 | tr -d .)
case $gpu in 9* | 10* | 12*) ;; *) gpu= ;; esac
program plain "${gpu:-90}a" M=512 N=512 K=512
run=$folder/plain/run

echo 'extern "C" int cuDriverGetVersion(int* version) { *version = 12040; return 0; }
extern "C" int cuInit(unsigned) { return 0; }' |
  $cxx -shared -fPIC -x c++ - -o "$folder/libcuda.so.1"
refused "case 27: a driver older than the toolkit (llm.c 63, nvbandwidth 61)" \
  "the driver is too old;CUDA 12.4;built with CUDA" \
  env LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$run"

if [ -z "$gpu" ]; then
  refused "case 25: no driver at all (darknet 5499, xmake 4686)" \
    "no NVIDIA driver is installed;make 02 BACKEND=emulator" "$run"
  refused "a run without a GPU leaves no CSV row" "no NVIDIA driver" "$run" --csv "$folder/rows.csv"
  if [ -e "$folder/rows.csv" ]; then
    echo "FAILED gpu_refusals: there is a CSV"
  else
    echo "ok gpu_refusals: and no CSV"
  fi
  echo end
  exit
fi

# ---- On a GPU

other=120a
[ "$gpu" = 120 ] && other=90a
refused "no visible GPU" "no GPU is visible;make 02 BACKEND=emulator" env CUDA_VISIBLE_DEVICES= "$run"
refused "a GPU that is not there" "--device 99;numbered from 0" "$run" --device 99
program other "$other" M=512 N=512 K=512
refused "case 24: a binary for another arch (lmdeploy 3806, vllm 19906)" \
  "built for sm_${other%a};is sm_$gpu;make 00 ARCH=${gpu}a" "$folder/other/run"
program large "${gpu}a" M=700000 N=700000 K=8
refused "a problem larger than the GPU's memory" "M = 700000;GiB of free GPU memory" "$folder/large/run"
# One more KB of shared memory than a block can have is no legal config: only an arch with more of it
# gets there. Here the sentence alone is tested, by device_test.cpp.
"$run" --check > "$output" 2>&1 && echo "ok gpu_refusals: and the program that was refused verifies" || {
  echo "FAILED gpu_refusals: the program that was refused does not verify"
  cat "$output"
}
echo end
