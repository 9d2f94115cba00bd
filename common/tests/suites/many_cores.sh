#!/bin/sh
# many_cores.sh FOLDER CXX FLAGS... OBJECTS...: case 46, a machine with so many cores that the stacks of all
# threads are more mappings than Linux allows a process. Prints "ok ..." or "FAILED ...".
export LC_ALL=C
set -u
folder=$1 cxx=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
common/make/options.sh header 00_naive 120 120a '' M=2048 N=1024 K=16 BM=128 BN=64 BK=16 warps_per_block_m=8 \
  warps_per_block_n=4 swizzle=0 > "$folder/options.h"
$cxx "$@" -include "$folder/options.h" -x c++ 00_naive/main.cu -x none -o "$folder/run" -ldl > "$folder/output" 2>&1 &&
  echo 'extern "C" int get_nprocs() { return 256; }' | $cxx -shared -fPIC -x c++ - -o "$folder/cores.so" &&
  LD_PRELOAD=$folder/cores.so "$folder/run" --check > "$folder/output" 2>&1
if [ $? -eq 0 ]; then echo "ok case 46: 256 cores and 1,024 threads a block"; else
  echo "FAILED case 46: 256 cores and 1,024 threads a block"
  cat "$folder/output"
fi
# A limit of the memory that leaves no room for a stack.
(ulimit -v 100000; "$folder/run" --check) > "$folder/output" 2>&1
if [ $? -eq 2 ] && grep -q '^refused: no memory for the stack.*vm.max_map_count' "$folder/output"; then echo "ok case 46: no memory for stacks is refused"; else
  echo "FAILED case 46: no memory for stacks is refused"
  cat "$folder/output"
fi
echo end
