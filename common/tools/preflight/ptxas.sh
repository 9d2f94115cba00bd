#!/bin/sh
# ptxas.sh BUILD/STAGE/ptxas.ARCH COMPILE...: compiles the kernel of STAGE, with the options of its
# last build, for ARCH, and writes what ptxas says about it to that file.
export LC_ALL=C
target=$1
shift
arch=${target##*.}
folder=${target%/*}
stage=${folder##*/}
command -v "$1" > /dev/null || {
  echo "$1 was not found: install the CUDA Toolkit (no GPU is needed), or put its bin on the PATH"
  exit 1
}
common/make/nvcc.sh "$@" -lineinfo -cubin -Xptxas -v \
  -gencode "arch=compute_$arch,code=sm_$arch" -include "$folder/options.h" \
  -include "$stage/config.h" -include "$stage/kernel.cuh" common/tools/preflight/instantiate.cu \
  -o "$target.cubin" > "$target.new" 2>&1 ||
  {
    cat "$target.new"
    exit 1
  }
mv -f "$target.new" "$target"
