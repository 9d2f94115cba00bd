#!/bin/sh
# headers_alone.sh FOLDER CXX NVCC: each header of the course compiles with nothing before it, so that
# an editor can open it and nobody depends on an order. Those that name CUDA's own types are nvcc's;
# without it they are passed over, and that is said. Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1 cxx=$2 nvcc=$3
mkdir -p "$folder"

# Is it only nvcc that can read header $1?
is_cuda_only() { case ${1##*/} in cuda_*) true ;; *) grep -q '^#include <cu' "$1" ;; esac; }

compile() { # compile HEADER
  echo "#include \"$1\"" > "$folder/alone.cu"
  if ! is_cuda_only "$1"; then
    $cxx -std=c++17 -fsyntax-only -w -I. -x c++ "$folder/alone.cu" > "$folder/errors" 2>&1
  elif command -v "$nvcc" > /dev/null; then
    "$nvcc" -std=c++17 -w -I. -DBACKEND_CUDA -arch=sm_90a -cubin -o "$folder/alone.cubin" "$folder/alone.cu" \
      > "$folder/errors" 2>&1
  else
    return 2
  fi
}

for header in common/*.h common/*.cuh common/*/*.h common/*/*.cuh common/*/*/*.h [0-9][0-9]_*/*.h [0-9][0-9]_*/*.cuh; do
  [ -e "$header" ] || continue
  compile "$header"
  case $? in
    0) echo "ok $header compiles alone" ;;
    2) echo "$header: passed over, there is no nvcc" ;;
    *) echo "FAILED $header does not compile alone: $(grep -m 1 error "$folder/errors")" ;;
  esac
done
echo end
