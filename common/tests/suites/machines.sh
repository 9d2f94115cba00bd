#!/bin/sh
# machines.sh MAKE CXX NVCC FOLDER: what make does on machines that are not as its author's, in a copy of the
# repository and with stand-ins for what is not here: compilers that compile nothing, GPUs that
# nvidia-smi alone tells of. Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
subject=machines
. common/tests/support/in_a_copy.sh
mkdir "$folder/bin"
PATH=$folder/bin:$PATH
# What a stand-in compiles is little.
find common/emulator common/host \( -name '*.cpp' -o -name '*.cu' \) ! -name tma.cpp -exec rm {} +

# fake NAME: makes standard input a command of that name.
fake() { { echo '#!/bin/sh'; cat; } > "$folder/bin/$1" && chmod +x "$folder/bin/$1"; }
try() { "$make" --no-print-directory BACKEND=emulator CXX=fake-g++ "$@"; }

# Its objects and programs are the command and the options of the build, and a program prints them.
fake fake-g++ << 'END'
out= source= options= command="$*"
case " $command " in *" -fsyntax-only "*) exit 0 ;; *" --version "*) echo fake 1.0; exit 0 ;; esac
while [ $# -gt 0 ]; do
  case $1 in
    -o) shift; out=$1 ;;
    -include) shift; case $1 in *options.h) options=$1 ;; esac ;;
    *.cu | *.cpp) source=$1 ;;
    *main.o) options=$1 ;;
  esac
  shift
done
[ -z "$source" ] || ! grep -q 'does not compile' "$source" || { echo "error: $source"; exit 1; }
{
  printf '#!/bin/sh\ncase $0 in */run) cat "$0" ;; esac\nexit 0\n'
  echo "$command"
  [ -z "$options" ] || cat "$options"
} > "$out"
chmod +x "$out"
case $source in *tma.cpp) [ ! -e "$0.slow" ] || sleep 0.7 ;; esac
END

# ---- Case 36: the program of another build

says "case 36: a program is built" "built ./00_naive/run" 0 try 00
says "case 36: and not again" "00_naive/run is up to date;!CXX" 0 try 00
try 00 BUILD=other BM=64 > "$output" 2>&1
says "case 36: another BUILD takes its place" '{"BM", 64}' 0 00_naive/run
says "case 36: and the first comes back" "built ./00_naive/run" 0 try 00
says "case 36: with its own values" '!{"BM", 64}' 0 00_naive/run
cp "$folder/bin/fake-g++" "$folder/bin/other-g++"
for build in BREAK=no_proxy_fence SANITIZE=1 CXX=other-g++; do
  what="case 36: a program with ${build%%=*}= in another BUILD takes its place, and gives it back"
  try 02 > "$output" 2>&1
  cp 02_*/run "$folder/before"
  try 02 BUILD=other "$build" > "$output" 2>&1 && ! cmp -s "$folder/before" 02_*/run &&
    try 02 > "$output" 2>&1 && cmp "$folder/before" 02_*/run >> "$output" 2>&1
  verdict $? "$what"
done

says "case 36: a refused field" "BM=x" 2 try 00 BM=x
says "case 36: leaves no program of before" "not found" 127 ./00_naive/run
try 00 > "$output" 2>&1
cp 00_naive/main.cu "$folder/main.cu"
echo "does not compile" >> 00_naive/main.cu
says "case 36: a build that fails" "error: 00_naive/main.cu" 2 try 00
says "case 36: leaves no program of before, either" "not found" 127 ./00_naive/run
cp "$folder/main.cu" 00_naive/main.cu
says "case 36: what is right again is built" "./00_naive/run" 0 try 00
says "case 36: make -n leaves the program" "LINK" 0 try -n 00 BM=64
says "case 36: where it was" "00_naive/run" 0 ls 00_naive/run

older=common/emulator/tma.cpp
{ cat $older; echo '// older'; } > "$folder/older"
touch -t 200001010000 "$folder/older"
cp -p "$folder/older" $older
says "case 36: a source that cp -p has replaced by an older one is compiled" "CXX   $older" 0 try 00
says "case 36: once" "!CXX" 0 try 00

# ---- Two at once

: > "$folder/bin/fake-g++.slow"
try 00 BUILD=both BM=64 > "$folder/first" 2>&1 &
first=$!
says "two makes at once, with different fields: one" "00_naive/run" 0 try 00 BUILD=both BM=32
wait $first
verdict $? "two makes at once, with different fields: and the other"
grep -q 'waiting for another make' "$folder/first" "$output"
verdict $? "two makes at once: one waits"
rm "$folder/bin/fake-g++.slow"
sleep 60 &
ln -sfn $! both/make
says "two makes at once: a process that is no make is not waited for" "!waiting" 0 try 00 BUILD=both
kill $!
says "a BUILD that cannot be written to" "/proc/none cannot be written to;BUILD=" 2 try 00 BUILD=/proc/none

# ---- Commands and paths

doctor() { try doctor PYTHON=any-python "$@"; }

fake ccache << 'END'
exec "$@"
END
for toolkit in cuda "cuda 13"; do
  mkdir -p "$folder/$toolkit/bin" "$folder/$toolkit/lib64"
  : > "$folder/$toolkit/lib64/libcublas.so"
  cat > "$folder/$toolkit/bin/nvcc" << 'END'
#!/bin/sh
case " $* " in
  *" --version "*) echo "Cuda compilation tools, release 13.0, V13.0.88" ;;
  *" --dryrun "*) echo "#$ TOP=${0%/*}/.." >&2 ;;
  *" -E "*) [ -e "${0%/*}/../include/cublas_v2.h" ] ;;
  *) exec fake-g++ "NVCC_APPEND_FLAGS=${NVCC_APPEND_FLAGS-}" "$@" ;;
esac
END
  chmod +x "$folder/$toolkit/bin/nvcc"
done
cp "$folder/cuda/bin/nvcc" "$folder/bin/in-path-nvcc"
gpu() { "$make" --no-print-directory BACKEND=cuda ARCH=90a CXX=fake-g++ BUILD=gpu "$@"; }
says "case 43: an nvcc in a folder with a blank" "built ./00_naive/run" 0 gpu 00 NVCC="../cuda 13/bin/nvcc"
mkdir "$folder/a compiler"
cp "$folder/bin/fake-g++" "$folder/a compiler/g++"
says "case 43: a CXX in one" "built ./00_naive/run" 0 try 00 CXX="../a compiler/g++" BUILD=blank
says "case 43: a BUILD with a blank" "BUILD=my build: make cannot build in a folder with a blank" 2 try 00 BUILD="my build"
says "case 43: a BUILD with a quote" "BUILD=it's: make cannot" 2 try 00 BUILD="it's"
mv "$tree" "$folder/a [tree] of \$x, it's \"odd\" & (new)"
cd "$folder/a [tree]"* || exit
fake any-python << 'END'
case $* in *__version__*) sed -n 's/^matplotlib==//p' plots/requirements.txt ;; esac
END
says "case 43: a checkout whose path is odd" "built ./00_naive/run" 0 try 00 BUILD=moved
says "case 43: and what it runs there" "CONFIG_OVERRIDES" 0 ./00_naive/run
says "case 43: make plots gets as far" "PLOT  plots/benchmark.py" 0 try plots PYTHON=any-python BUILD=moved
cd "$folder" && mv a\ \[tree* "$tree" && cd "$tree" || exit

says "case 54: CXX of two words" "built ./00_naive/run" 0 try 00 CXX="ccache fake-g++"
says "case 54: make doctor knows it" "compiler     fake 1.0;!is missing: apt-get install g++" 0 \
  doctor CXX="ccache fake-g++"
says "case 54: NVCC of two words" "built ./00_naive/run" 0 gpu 00 NVCC="ccache in-path-nvcc"
says "case 54: make doctor knows it, too" "CUDA 13.0" 0 doctor NVCC="ccache in-path-nvcc"

nvcc=../cuda/bin/nvcc
says "case 48: NVCC_APPEND_FLAGS" "do not reach nvcc;built ./00_naive/run" 0 \
  env NVCC_APPEND_FLAGS=-G "$make" 00 BACKEND=cuda ARCH=90a CXX=fake-g++ BUILD=gpu NVCC="$nvcc"
says "case 48: does not reach nvcc" "NVCC_APPEND_FLAGS= -std;!=-G" 0 ./00_naive/run
case $folder in
  *' '*) ;;  # such a folder is left to the loader
  *) says "case 49: a program knows where its cuBLAS is" "-rpath=$folder/cuda/lib64" 0 ./00_naive/run ;;
esac
says "case 56: make doctor names the package without cuBLAS" "cuBLAS;apt-get install libcublas-dev-13-0" 0 \
  doctor NVCC="$nvcc"
mkdir "$folder/cuda/include"
: > "$folder/cuda/include/cublas_v2.h"
fake g++-that-cannot-link << 'END'
case " $* " in *" -lcublas "*) exit 1 ;; esac
END
fake g++-whose-program-does-not-load << 'END'
while [ $# -gt 1 ]; do [ "$1" != -o ] || { printf '#!/bin/sh\nexit 127\n' > "$2"; chmod +x "$2"; }; shift; done
END
says "case 49: make doctor, where cuBLAS is found" "cuBLAS       found in $(cd "$folder/cuda/lib64" && pwd)" 0 \
  doctor NVCC="$nvcc"
says "case 49: where it does not load" "cuBLAS       does not load;ldconfig;LD_LIBRARY_PATH" 0 \
  doctor NVCC="$nvcc" CXX=g++-whose-program-does-not-load
says "case 49: where it is not there" "cuBLAS;its library is not;apt-get install" 0 \
  doctor NVCC="$nvcc" CXX=g++-that-cannot-link

# errors TEXT: what nvcc.sh adds to them.
errors() { TEXT=$1 common/make/nvcc.sh sh -c '[ "$1" = --version ] && echo release 12.9, || { echo "$TEXT" >&2; exit 1; }' nvcc "${2--c}"; }
says "case 56: nvcc without the headers of cuBLAS" "without cuBLAS: apt-get install libcublas-dev-" 1 \
  errors "common/host/device/cublas_matmul.cu:3:10: fatal error: cublas_v2.h: No such file or directory"
says "case 56: and without its library" "without cuBLAS: apt-get install libcublas-dev-" 1 \
  errors "/usr/bin/ld: cannot find -lcublas: No such file or directory"
says "case 56: a C library that is too new for it" "glibc 2.41;install CUDA 13.0" 1 errors \
  'mathcalls.h(79): error: exception specification is incompatible with that of previous function "cospi" (declared at'

# ---- GPUs

# smi CAPABILITY...: an nvidia-smi that tells of such GPUs, where WSL2 has its own: here before the one
# that a machine with a GPU has.
mkdir "$folder/wsl"
sed "s,PATH=.PATH:/usr/lib/wsl/lib,PATH=../wsl:\$PATH," common/make/gpus.sh > "$folder/gpus.sh" && cat "$folder/gpus.sh" > common/make/gpus.sh
smi() {
  { echo '#!/bin/sh'; for capability in "$@"; do echo "echo $capability"; done; } > "$folder/wsl/nvidia-smi"
  chmod +x "$folder/wsl/nvidia-smi"
}
backend() { common/make/backend.sh "$1" "$2" in-path-nvcc fake-g++; }
smi 9.0
says "case 50: WSL2's nvidia-smi is found outside of the PATH" "cuda 90 90a" 0 backend auto ""
says "case 50: make doctor finds it, too" "!none visible" 0 doctor
says "case 55: no GPU is visible where CUDA_VISIBLE_DEVICES is empty" "emulator;no NVIDIA GPU is visible" 0 \
  env CUDA_VISIBLE_DEVICES= common/make/backend.sh auto "" in-path-nvcc fake-g++
says "case 55: nor to make fuzz" "no GPU is visible" 2 env CUDA_VISIBLE_DEVICES= \
  common/tools/fuzz/fuzz.sh COUNT=1 SEED=1 STAGES=00_naive BACKEND=cuda FOLDER="$folder/fuzz"
says "case 55: but to others" "cuda 90 90a" 0 env CUDA_VISIBLE_DEVICES=0 common/make/backend.sh auto "" in-path-nvcc fake-g++
smi 11.0
says "case 45: compute capability 11.0 is built for" "cuda 110 110a" 0 backend auto ""
says "case 45: and asked for" "cuda 110 110a" 0 backend cuda 110a
smi 13.0
says "case 45: one to come goes to the emulator" "emulator;sm_130;common/archs.inc" 0 backend auto ""
says "case 45: and is refused where it is asked for" "refused;ARCH=130a is none of 90 100 103 110 120 121" 0 backend cuda 130a
smi 13.0 12.0
says "case 45: beside a known one it is left out" "cuda 120 120a" 0 backend auto ""
says "limits are those of the smallest" "cuda 120 100a,120a,90a" 0 backend cuda "100a 120a 90a"

# ---- Tools, and the checkout

# The first lines of the README, as they are pasted, by someone who has nothing yet.
awk '/^```/ { block += /sh$/; inside = /sh$/; next } inside && block == 1' README.md > "$folder/start.sh"
mkdir "$folder/new" "$folder/fresh"
echo 'echo "apt-get $*"' | fake apt-get
echo 'cp -R ../tree "$3"; rm -rf "$3/build"' | fake git
cp "$folder/bin/fake-g++" "$folder/fresh/g++"
start() { (cd "$folder/new" && CUDA_VISIBLE_DEVICES= PATH=$folder/fresh:$PATH sh -e "$folder/start.sh"); }
says "what the README begins with can be pasted" \
  "apt-get install -y git g++ make doctest-dev;built ./02_warp_specialized/run;CONFIG_OVERRIDES" 0 start
rm "$folder/bin/git"

fake python3.9 << 'END'
case $* in --version) echo Python 3.9.2 ;; *"< (3, 10)"* | *matplotlib*) exit 1 ;; esac
END
says "case 53: make plots says which Python it needs" "needs Python 3.10, and this is Python 3.9.2;PYTHON=" 1 \
  common/make/plots.sh python3.9 "$folder/venv"
says "case 53: and so does make doctor" "needs Python 3.10" 0 doctor PYTHON=python3.9
says "case 53: but not where there is none" "python3-venv;!needs" 0 doctor PYTHON=no-such-python

windows_checkout() {
  GIT_CONFIG_GLOBAL=/dev/null GIT_DIR=$folder/git GIT_WORK_TREE=$folder/checkout
  export GIT_CONFIG_GLOBAL GIT_DIR GIT_WORK_TREE
  mkdir "$folder/checkout" && cp -R "$tree/.gitattributes" "$tree/Makefile" "$tree/common/make" "$folder/checkout" &&
    git init -q && git config core.autocrlf true && git config user.name x && git config user.email x@x &&
    git add . && git commit -q -m x && rm -rf "$folder/checkout" && mkdir "$folder/checkout" && git checkout -q -f HEAD &&
    [ -x "$folder/checkout/make/backend.sh" ] && ! grep -rl "$(printf '\r')" "$folder/checkout"
}
if command -v git > /dev/null; then
  says "case 44: a checkout of Git for Windows has the line ends of sh" "" 0 windows_checkout
fi

echo end
