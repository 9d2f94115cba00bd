#!/bin/sh
# Which backend, and for which architectures?
#
#   backend.sh BACKEND "ARCH" NVCC CXX
#
# Prints one line: the backend (or "refused"), the arch whose limits count, the archs to build for
# joined by commas, and the reason in words.
export LC_ALL=C
wanted=$1 archs=$2 nvcc=$3 cxx=$4
known=$(echo $(sed -n 's/^ARCH(\([0-9]*\),.*/\1/p' "${0%/*}/../archs.inc"))

refuse() {
  echo "refused - - $*"
  exit 0
}

command -v ${cxx%% *} > /dev/null ||
  refuse "$cxx was not found: install it (apt-get install g++, or xcode-select --install on macOS)," \
    "or name another, as in CXX=clang++"

fault=$({
  echo 'int main() { if constexpr (sizeof(int) > 1) return 0; }'
  printf '#if __FINITE_MATH_ONLY__ + 0\n#error finite\n#endif\n'
} | $cxx -std=c++17 -fsyntax-only -x c++ - 2>&1) || case $fault in
  *'#error finite'* | *'error: finite'*)
    refuse "$cxx may suppose that there is no NaN, and a kernel that writes one would verify:" \
      "leave -ffast-math out, or with icpx add -fp-model=precise" ;;
  *) refuse "$cxx does not compile C++17: install g++ 9 or clang++ 10, or newer, or name another compiler," \
    "as in CXX=g++-12" ;;
esac

# Compute capabilities of the visible GPUs: 9.0 is printed as 90.
gpus=$("${0%/*}/gpus.sh" compute_cap |
  sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2/p' | sort -un)
with_tma=$(for gpu in $gpus; do [ "$gpu" -ge 90 ] && echo "$gpu"; done)
buildable=$(for gpu in $with_tma; do
  case " $known " in *" $gpu "*) echo "$gpu" ;; esac
done)

release=$($nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
set -- $release
version=${1:-0}.${2:-0}
new_enough=$([ "${1:-0}" -gt 12 ] || { [ "${1:-0}" -eq 12 ] && [ "${2:-0}" -ge 8 ]; } && echo yes)

case $wanted in
  auto)
    if [ -z "$gpus" ]; then
      backend=emulator why="no NVIDIA GPU is visible (BACKEND=cuda cross-compiles)"
    elif [ -z "$with_tma" ]; then
      backend=emulator why="no visible GPU has TMA (compute capability 9.0 or newer)"
    elif [ -z "$buildable" ]; then
      backend=emulator why="nothing is known here of the visible GPU, sm_$(echo $with_tma | tr ' ' ','):"
      why="$why it needs a row in common/archs.inc"
    elif [ -z "$release" ]; then
      backend=emulator why="a GPU is visible, but $nvcc is not on the PATH"
    else
      backend=cuda why="nvcc $version and a GPU are there"
    fi ;;
  cuda) backend=cuda why="asked for" ;;
  emulator) backend=emulator why="asked for" ;;
  *) refuse "BACKEND=$wanted: it is auto, cuda or emulator" ;;
esac

if [ "$backend" = cuda ]; then
  [ -n "$release" ] ||
    refuse "$nvcc was not found: put the CUDA Toolkit's bin on the PATH, or build with" \
      "BACKEND=emulator"
  [ -n "$new_enough" ] || refuse "nvcc $version is too old, sm_120 and TMA into .shared::cta need" \
    "12.8: install a newer CUDA Toolkit, or build with BACKEND=emulator"
fi

if [ -z "$archs" ]; then
  archs=$(for gpu in $buildable; do echo "${gpu}a"; done)
  [ -n "$archs" ] || archs="90a 120a"
fi

# The limits of the smallest, in shared memory of a block and then in warps of an SM.
size_of() { sed -n "s/^ARCH($1, smem_per_block = \([0-9]*\).* warps_per_sm = \([0-9]*\),.*/\1\2/p" "${0%/*}/../archs.inc"; }
limits=
for arch in $archs; do
  number=$(echo "$arch" | sed 's/[af]$//')
  case " $known " in
    *" $number "*) ;;
    *) refuse "ARCH=$arch is none of $known (with or without an a): these have TMA" ;;
  esac
  [ -n "$limits" ] && [ "$(size_of $limits)" -le "$(size_of $number)" ] || limits=$number
done

echo $backend $limits $(echo $archs | tr ' ' ',') $why
