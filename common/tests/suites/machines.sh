#!/bin/sh
# machines.sh MAKE FOLDER: what make does on machines that are not as its author's, in a copy of the
# repository and with stand-ins for what is not here: compilers that compile nothing, GPUs that
# nvidia-smi alone tells of. Prints "ok ..." or "FAILED ..." for each.
set -u
make=$1 folder=$2
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CUDA_VISIBLE_DEVICES NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
rm -rf "$folder"
mkdir -p "$folder/bin"
folder=$(cd "$folder" && pwd)
output=$folder/output
common/tests/suites/copy_tree.sh "$folder/tree"
cd "$folder/tree" || exit
# What a stand-in compiles is little.
find common/emulator common/host \( -name '*.cpp' -o -name '*.cu' \) ! -name tma.cpp -exec rm {} +

verdict() {
  if [ "$1" -eq 0 ]; then echo "ok $2"; else
    echo "FAILED $2"
    tail -n 8 "$output" | sed 's/^/       /'
  fi
}
# says WHAT WORDS STATUS COMMAND...: it ends with this status, and its output has all WORDS, which ';'
# separates, but none that follows a '!'.
says() {
  what=$1 words=$2 expected=$3
  shift 3
  "$@" > "$output" 2>&1 < /dev/null
  status=$? wrong=0
  [ $status -eq "$expected" ] || { wrong=1; echo "exit status $status" >> "$output"; }
  old_ifs=$IFS
  IFS=';'
  for word in $words; do
    found=$(grep -cF -e "${word#!}" "$output")
    case $word in !*) [ "$found" -eq 0 ] ;; *) [ "$found" -gt 0 ] ;; esac || {
      wrong=1
      echo "'$word'?" >> "$output"
    }
  done
  IFS=$old_ifs
  verdict $wrong "$what"
}
# fake NAME: makes standard input a command of that name.
fake() { { echo '#!/bin/sh'; cat; } > "$folder/bin/$1" && chmod +x "$folder/bin/$1"; }
try() { "$make" --no-print-directory BACKEND=emulator CXX="$folder/bin/fake-g++" "$@"; }

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
for build in BREAK=no_proxy_fence SANITIZE=1 DEBUG=1 "CXX=$folder/bin/other-g++"; do
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
says "a BUILD that cannot be written to" "/proc/none cannot be written to;BUILD=" 2 try 00 BUILD=/proc/none

echo end
