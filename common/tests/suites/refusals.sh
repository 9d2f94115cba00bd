#!/bin/sh
# refusals.sh MAKE FOLDER CXX FLAGS... OBJECTS...: what make and a program do when the environment is
# not as they need it: exit status 2 (make's own, too), one line that says what to do, nothing left
# half written. Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
make=$1 folder=$2
cxx=$3
shift 3
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
rm -rf "$folder"
mkdir -p "$folder/bin"
folder=$(cd "$folder" && pwd) repository=$(pwd)
output=$folder/output
PATH=$folder/bin:$PATH

subject=refusals
. common/tests/support/verdict.sh

# fake NAME: makes standard input a command of that name.
fake() { { echo '#!/bin/sh'; cat; } > "$folder/bin/$1" && chmod +x "$folder/bin/$1"; }

# ---- The program's options and files

# program NAME FIELDS...: builds stage 00.
program() {
  mkdir -p "$folder/$1"
  name=$1
  shift
  common/make/options.sh header 00_naive 120 120a '' BM=32 BN=32 BK=16 warps_per_block_m=1 \
    warps_per_block_n=1 swizzle=0 "$@" > "$folder/$name/options.h"
  $compile -include "$folder/$name/options.h" -x c++ 00_naive/main.cu -o "$folder/$name/run"
}
compile="$cxx $*"
program small M=48 N=40 K=24 || { echo "FAILED refusals: the program does not build"; exit; }
run=$folder/small/run

"$run" > "$output" 2>&1
verdict $? "the program that is about to be refused verifies"
refused "a misspelt option" "--lunches;did you mean --launches?" "$run" --lunches 3
refused "an option that is no number" "--launches x;from 1 to 1000000" "$run" --launches x
refused "a negative number" "--launches -3;whole number" "$run" --launches -3
refused "a fraction" "--launches 1.5;whole number" "$run" --launches=1.5
refused "a huge number" "--seed 18446744073709551616" "$run" --seed 18446744073709551616
refused "an empty value" "--seed: a value must follow" "$run" --seed ""
refused "an option of a GPU on the emulator" "make 02 BACKEND=cuda" "$run" --device 0
refused "a row of a prediction" "--explain --csv" "$run" --explain --csv "$folder/explain.csv"
refused "launches of a prediction" "--explain --launches" "$run" --explain --launches 3
refused "a CSV in no directory" "--csv;no such directory" "$run" --csv "$folder/no/rows.csv"
refused "a JSON file that is a directory" "--json;it is a directory" "$run" --json "$folder"
refused "a trace in no directory" "--trace;no such directory" "$run" --trace "$folder/no/trace.csv"
echo "other,columns" > "$folder/other.csv"
refused "a CSV with other columns" "other columns" "$run" --csv "$folder/other.csv"
if [ "$(id -u)" -ne 0 ]; then  # root may write anywhere
  : > "$folder/read_only"
  chmod 444 "$folder/read_only"
  refused "a CSV that is read-only" "Permission denied" "$run" --csv "$folder/read_only"
fi
if [ -e /dev/full ]; then
  refused "a full disk under --json" "No space left" "$run" --json /dev/full
  refused "a full disk under --csv" "No space left" "$run" --csv /dev/full
  refused "a full disk under --trace" "No space left" "$run" --trace /dev/full
  to_full_disk() { "$@" > /dev/full; }
  refused "a full disk under standard output" "is the disk full?" to_full_disk "$run"
  refused "a full disk under --json -" "No space left" to_full_disk "$run" --json -
  rm -f "$folder/rows.csv"
  "$run" --csv "$folder/rows.csv" --json /dev/full > "$output" 2>&1
  [ ! -e "$folder/rows.csv" ]
  verdict $? "no CSV row beside a JSON file that could not be written"
fi
"$run" --json - > "$folder/stdout" 2> "$output" &&
  [ "$(head -c 1 "$folder/stdout")" = "{" ] && [ "$(tail -n 1 "$folder/stdout")" = "}" ]
verdict $? "--json - leaves nothing but the object on standard output"
"$run" --json /dev/stdout --csv /dev/fd/3 > "$output" 3> "$folder/rows.csv" && [ -L /dev/stdout ] &&
  [ "$(tail -n 1 "$output")" = "}" ] && grep -q '^stage ' "$output" && [ "$(grep -c '' "$folder/rows.csv")" -eq 2 ]
verdict $? "case 38: --json /dev/stdout and --csv /dev/fd/3 come behind what is there, and the device stays one"

program large M=2147483647 N=900 K=8
refused "a problem larger than the memory" "M = 2147483647;GiB;make the problem smaller" "$folder/large/run"

# ---- Compilers and tools

common/tests/support/copy_tree.sh "$folder/tree"
try() { "$make" -C "$folder/tree" --no-print-directory "$@"; }
refused "no C++ compiler" "no-such-g++ was not found;CXX=" try 02 BACKEND=emulator CXX=no-such-g++
fake old-g++ << 'END'
case $* in *--version*) echo 'old-g++ (Debian) 4.9.2' ;; *) echo "error: unrecognized option '-std=c++17'" >&2; exit 1 ;; esac
END
refused "a C++ compiler without C++17" "old-g++;C++17;CXX=" try 02 BACKEND=emulator CXX=old-g++
for option in -ffast-math -ffinite-math-only; do
  refused "case 37: CXX with $option" "no NaN;leave -ffast-math out" try 02 BACKEND=emulator CXX="$cxx $option"
  $cxx $option -std=c++17 -fsyntax-only common/host/verify/expected_product.cpp > "$output" 2>&1
  [ $? -ne 0 ] && grep -q 'no NaN' "$output"
  verdict $? "case 37: what compares with NaN does not compile with $option"
done
refused "no nvcc" "was not found;BACKEND=emulator" try 02 BACKEND=cuda NVCC=no-such-nvcc
fake old-nvcc << 'END'
echo 'Cuda compilation tools, release 12.4, V12.4.131'
END
refused "an nvcc that does not know sm_120" "12.4 is too old;12.8" try 02 BACKEND=cuda NVCC=old-nvcc
fake new-nvcc << 'END'
echo 'Cuda compilation tools, release 13.0, V13.0.88'
END
refused "an arch without TMA" "ARCH=80;TMA" try 02 BACKEND=cuda NVCC=new-nvcc ARCH=80
for goal in evidence who-sees experiments latencies bench curve; do
  before=$(cksum "$folder"/tree/plots/data/*.csv)
  refused "make $goal without a GPU" "needs a GPU" try $goal BACKEND=emulator
  [ "$before" = "$(cksum "$folder"/tree/plots/data/*.csv)" ]
  verdict $? "make $goal without a GPU leaves what was measured"
done
mkdir -p "$folder/cutlass"
for path in "$folder/no cutlass" "$folder/cutlass"; do
  refused "make bench with CUTLASS=${path##*/}, which has none" "has no cutlass/gemm/device;include folder;docs/reference.md" \
    try bench BACKEND=cuda NVCC=new-nvcc ARCH=90a CUTLASS="$path"
  [ ! -e "$folder/tree/build/bench" ]
  verdict $? "and nothing was built for it"
done
refused "a misspelt backend" "BACKEND=gpu;auto, cuda or emulator" try 02 BACKEND=gpu
refused "a misspelt stage" "STAGE=7 is no stage" try resources STAGE=7
refused "a stage that is not there" "98" try 98
refused "a misspelt variable" "BLM is neither" try 02 BLM=64
refused "a field that is no number" "BM=a lot" try 02 "BM=a lot"
refused "a field of shell commands" "is refused" try 02 'BM=1; touch x'

# What ptxas may say of a kernel, for make resources.
ptxas=$folder/tree/build/00_naive/ptxas.90a
try BACKEND=emulator ARCH=90a build/00_naive/preflight > "$output" 2>&1
resources() {
  printf '%s\n' "$@" > "$ptxas"
  common/tools/preflight/resources.sh "$ptxas" > "$output" 2>&1
}
frame='    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'
resources "$frame" "ptxas info    : Used 200 registers, used 1 barriers"
verdict $? "make resources with a kernel that fits"
resources "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" "ptxas info    : Used 255 registers"
[ $? -eq 1 ] && grep -q '^FAILED: a kernel spills' "$output"
verdict $? "make resources with a stack frame"
resources "$frame" "ptxas info    : nothing of registers"
[ $? -eq 1 ] && grep -q 'ptxas has not said' "$output"
verdict $? "make resources where ptxas says nothing"

# case 28: an nvcc that refuses the host compiler (llm.c 824).
fake strict-nvcc << 'END'
echo "/usr/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 15 are not supported!" >&2
exit 1
END
common/make/nvcc.sh "$folder/bin/strict-nvcc" -c x.cu > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'CCBIN=' "$output"
verdict $? "case 28: a host compiler too new for nvcc, with CCBIN as the way on"
fake other-nvcc << 'END'
echo "nvcc fatal   : Unsupported gpu architecture 'compute_120a'" >&2
exit 1
END
common/make/nvcc.sh "$folder/bin/other-nvcc" -c x.cu > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'ARCH=' "$output"
verdict $? "an arch that nvcc does not know, with ARCH as the way on"

fake no-doctest << 'END'
if cat | grep -q doctest; then echo 'fatal error: doctest/doctest.h: No such file or directory' >&2; exit 1; fi
END
common/make/doctest.sh "$folder/bin/no-doctest" > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'apt-get install doctest-dev' "$output"
verdict $? "no doctest"
fake no-matplotlib << 'END'
case $* in *venv*) echo 'ensurepip is not available' >&2 ; exit 1 ;; *matplotlib*) exit 1 ;; esac
END
common/make/plots.sh "$folder/bin/no-matplotlib" "$folder/venv" > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'python3-venv' "$output" && [ ! -e "$folder/venv" ]
verdict $? "no matplotlib, and no way to install it"
common/make/plots.sh no-such-python "$folder/venv" > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'PYTHON=' "$output"
verdict $? "no Python"
PATH=$folder/bin /bin/sh common/make/format.sh format-check > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'apt-get install clang-format' "$output"
verdict $? "no clang-format"

# case 26: -arch=native without a GPU is sm_75 (whisper.cpp 2404).
grep -n -e 'arch=native' -e 'arch=all' Makefile common/make/* > "$output"
[ ! -s "$output" ]
verdict $? "case 26: no build asks nvcc for -arch=native"

# case 58: words of two bf16 (oneDNN PR 4883).
echo '#include "common/ptx/emulated.h"' |
  $cxx -std=c++17 -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ -w -fsyntax-only -I. -x c++ - > "$output" 2>&1
[ $? -ne 0 ] && grep -q 'on a little-endian processor' "$output"
verdict $? "case 58: a big-endian processor is refused in a sentence"

# case 25: nothing here needs a driver (darknet 5499, xmake 4686).
{ ldd "$run" || otool -L "$run"; } > "$output" 2>&1 && ! grep -q 'libcuda\.so' "$output" && ! grep -n -e ' -lcuda\b' Makefile common/make/*.mk >> "$output"
verdict $? "case 25: the emulator's program needs no libcuda.so.1, and no program is linked against it"

for variable in "COUNT=many SEED=1" "COUNT=-1 SEED=1" "COUNT=1 SEED=x" "COUNT=1 SEED=99999999999999999999"; do
  common/tools/fuzz/fuzz.sh $variable STAGES=00_naive BACKEND=emulator FOLDER="$folder/fuzz" > "$output" 2>&1
  [ $? -eq 2 ] && grep -q 'give a' "$output"
  verdict $? "make fuzz $variable"
done

# ---- The environment's variables change nothing

N=7 BM=999 K=3 BACKEND=none CXXFLAGS=-nonsense try BACKEND=emulator build/00_naive/options.h > "$output" 2>&1 &&
  grep -qx '#define CONFIG_OVERRIDES *' "$folder/tree/build/00_naive/options.h"
verdict $? "a shell that exports N, BM and K builds what config.h says"

# ---- Ctrl-C in the middle of a build

rm -rf "$folder/tree/build"
# Writes its output in two steps, with time for a Ctrl-C in between.
fake slow-g++ << 'END'
out= previous= source=
for word in "$@"; do
  [ "$previous" = -o ] && out=$word
  case $word in *.cpp | *.cu) source=$word ;; esac
  previous=$word
done
[ -n "$out" ] || exit 0
echo half > "$out"
case $source in *block.cpp) [ -e "${0%/*}/slow" ] && { : > "${0%/*}/waiting"; sleep 60; } ;; esac
printf '#!/bin/sh\n# whole\n' > "$out"
chmod +x "$out"
END
build_tree() { "$make" -C "$folder/tree" 00 BACKEND=emulator CXX=slow-g++ BUILD=build; }
# interrupt FILE COMMAND...: runs it as a terminal would, and sends Ctrl-C when FILE is there.
$cxx -std=c++17 -x c++ - -o "$folder/bin/interrupt" << 'END'
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int, char** argv) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  for (int tenths = 0; tenths < 300 && access(argv[1], F_OK) != 0; tenths++) usleep(100000);
  kill(-child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 130;
}
END
: > "$folder/bin/slow"
"$folder/bin/interrupt" "$folder/bin/waiting" "$make" -C "$folder/tree" 00 BACKEND=emulator \
  CXX=slow-g++ BUILD=build > "$output" 2>&1
status=$?
rm -f "$folder/bin/slow"
[ $status -ne 0 ] && [ -e "$folder/bin/waiting" ] && ! grep -rlx half "$folder/tree/build" "$folder"/tree/*/run >> "$output" 2>&1
verdict $? "Ctrl-C leaves no file half written"
build_tree > "$output" 2>&1 && grep -q 'built ./00_naive/run' "$output" && grep -q whole "$folder/tree/00_naive/run" &&
  ! grep -rlx half "$folder/tree/build" >> "$output"
verdict $? "after Ctrl-C, make builds what is missing"
build_tree > "$output" 2>&1 && grep -q 'is up to date' "$output" && ! grep -q CXX "$output"
verdict $? "and nothing twice"
echo end
