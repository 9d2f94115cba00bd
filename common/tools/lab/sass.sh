#!/bin/sh
# The machine code of a kernel's main loop.
#
#   sass.sh compile BUILD/STAGE/sass.ARCH CXX NVCC...   compiles the kernel with the stage's options,
#                                                       and disassembles it into that file
#   sass.sh show FILE...                                prints the main loops of such files
here=$(dirname "$0")

compile() {
  target=$1 cxx=$2
  shift 2
  arch=${target##*.} folder=${target%/*}
  stage=${folder##*/}
  command -v "$1" > /dev/null || {
    echo "$1 was not found: install the CUDA Toolkit (no GPU is needed), or put its bin on the PATH"
    exit 1
  }
  nvdisasm=$(command -v nvdisasm || echo "$(dirname "$(command -v "$1")")/nvdisasm")
  [ -x "$nvdisasm" ] || {
    echo "nvdisasm was not found. It comes with the CUDA Toolkit, at times in a package of its own"
    echo "(cuda-nvdisasm-13-0), and as a Python package:"
    echo "  pip install --target ~/nvdisasm nvidia-cuda-nvdisasm"
    echo "  PATH=\$PATH:\$(dirname \$(find ~/nvdisasm -name nvdisasm)) make sass STAGE=${stage%%_*}"
    exit 1
  }
  "$here/nvcc.sh" "$@" -std=c++17 -O3 -lineinfo -DBACKEND_CUDA -cubin \
    -gencode "arch=compute_$arch,code=sm_$arch" -include "$folder/options.h" \
    -include "$stage/config.h" -include "$stage/kernel.cuh" "$here/instantiate.cu" \
    -o "$target.cubin" || exit 1
  $cxx -std=c++17 -w -DBACKEND_CUDA -include "$folder/options.h" -include "$stage/config.h" \
    "$here/kernel_facts.cpp" -o "$target.facts" || exit 1
  {
    echo "FACTS $("$target.facts") $arch $stage"
    "$nvdisasm" -c -gi "$target.cubin"
  } > "$target.new" && mv -f "$target.new" "$target"
}

show() {
  for file in "$@"; do
    stage=$(sed -n '1s/.* //p' "$file")
    awk -v kernel="$stage/kernel.cuh" -f "$here/sass.awk" "$file" || exit 1
  done
}

command=$1
shift
"$command" "$@"
