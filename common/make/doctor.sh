#!/bin/sh
# doctor.sh CXX NVCC PYTHON: what is installed, and for each thing missing the command that mends
# it.
export LC_ALL=C
cxx=$1 nvcc=$2 python=$3
case $(uname -s) in
  Darwin) install="brew install" compiler="xcode-select --install" doctest=doctest venv=python ;;
  *) install="apt-get install" compiler="apt-get install g++" doctest=doctest-dev venv=python3-venv ;;
esac

row() { printf '%-12s %s\n' "$1" "$2"; }
# The first line of a command's output, or nothing where it fails.
try() { "$@" 2>/dev/null | head -n 1; }
include() {
  echo "#include <$1>" |
    $cxx -std=c++17 -I/opt/homebrew/include -fsyntax-only -x c++ - 2>/dev/null
}
# Whether a program finds cuBLAS, when it is built and when it runs.
cublas() {
  libraries=$("${0%/*}/toolkit.sh" "$nvcc") program=$(mktemp) || return
  if ! echo '#include <cublas_v2.h>' | $nvcc -x cu -E - > /dev/null 2>&1; then
    echo "missing: $install libcublas-dev-$(echo "$release" | tr . -), or install the whole toolkit"
  elif ! echo 'extern "C" unsigned long cublasGetCudartVersion(); int main() { return !cublasGetCudartVersion(); }' |
    $cxx -x c++ - ${libraries:+"-L$libraries" "-Wl,-rpath,$libraries"} -lcublas -o "$program" 2> /dev/null; then
    echo "its headers are there and its library is not: $install libcublas-dev-$(echo "$release" | tr . -)"
  elif "$program" 2> /dev/null; then
    echo "found${libraries:+ in $libraries}"
  else
    echo "does not load: run ldconfig as root, or put its folder into LD_LIBRARY_PATH"
  fi
  rm -f "$program"
}

row system "$(uname -sm), $(nproc 2>/dev/null || sysctl -n hw.ncpu) cores"
row make "$(try "${MAKE_COMMAND:-make}" --version)"
found=$(try $cxx --version)
row compiler "${found:-$cxx is missing: $compiler}"

gpus=$("${0%/*}/gpus.sh" name,compute_cap,driver_version)
release=$($nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
answer=$("$(dirname "$0")/backend.sh" auto '' "$nvcc" "$cxx")
row backend "${answer%% *}: $(echo "$answer" | cut -d' ' -f4-)"
if [ -n "$gpus" ]; then
  echo "$gpus" | while IFS=, read -r name capability driver; do
    row GPU "$name, compute capability$capability"
    row driver "${driver# }"
  done
else
  row GPU "none visible: the emulator does without (on a machine with one, install NVIDIA's driver)"
  row driver "none"
fi
if [ -n "$release" ]; then
  row toolkit "CUDA $release ($(command -v ${nvcc##* }))"
  echo "$release" | awk -F. '{ exit !($1 * 100 + $2 < 1208) }' &&
    row "" "too old: 12.8 is needed, https://developer.nvidia.com/cuda-downloads"
  row cuBLAS "$(cublas)"
else
  row toolkit "$nvcc is missing (needed for a GPU only): https://developer.nvidia.com/cuda-downloads"
  row "" "if it is installed: export PATH=\$PATH:/usr/local/cuda/bin"
fi

include doctest/doctest.h && found=found || found="missing, for make test: $install $doctest"
row doctest "$found"
found=$(try clang-format --version)
row format "${found:-clang-format is missing, for make format: $install clang-format}"
found=$(try "$python" --version)
row python "${found:-$python is missing, for make plots, profile, sass and their like: $install python3}"
wanted=$(sed -n 's/^matplotlib==//p' plots/requirements.txt)
found=$(try "$python" -c 'import matplotlib; print(matplotlib.__version__)')
if [ "$found" = "$wanted" ]; then
  row matplotlib "$found"
elif "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 10))' 2>/dev/null; then
  row matplotlib "missing: $wanted needs Python 3.10: install a newer one, and name it: PYTHON=python3.11"
elif "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  row matplotlib "${found:-missing}; make plots installs $wanted under build/"
else
  row matplotlib "${found:-missing}, for make plots: $install $venv"
  row "" "or: pip install -r plots/requirements.txt"
fi
