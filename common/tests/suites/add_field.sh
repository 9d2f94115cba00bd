#!/bin/sh
# add_field.sh MAKE CXX NVCC FOLDER: what does it take to add a field? In a copy of the repository,
# stage 03 gets a field in its config.h: refused everywhere in one sentence while the list of fields has
# no row for it, and known everywhere once it has. NVCC may be empty. Prints "ok ..." or "FAILED ...".
export LC_ALL=C
set -u
subject="a new field" stage=03_fused_pipeline
. common/tests/support/in_a_copy.sh

# edit FILE AWK_PROGRAM
edit() { awk "$2" "$1" > edited && mv edited "$1"; }

# ---- Without a row

edit $stage/config.h '/^};/ { print "  static constexpr int evict_first = field(\"evict_first\", 0);" } { print }'
named="$stage/config.h;evict_first;common/config_fields.inc"
says "without a row make refuses it" "$named" 2 try 03
says "and as an override" "$named" 2 try 03 evict_first=1
[ -z "$(find build -name '*.o')" ]
verdict $? "and has compiled nothing"
says "the fuzzer refuses it" "$named" 2 try fuzz STAGE=03 COUNT=1
says "the compiler alone refuses it" "$named" 1 "$cxx" -std=c++17 -fsyntax-only -x c++ $stage/main.cu
[ -z "$nvcc" ] || says "nvcc alone refuses it" "$named" 2 "$nvcc" -std=c++17 -DBACKEND_CUDA -cuda \
  $stage/main.cu -o main.cpp.ii

# ---- With one

edit common/config_fields.inc '/^#undef FIELD/ {
    print "FIELD(evict_first, 0, \"flag\", \"whether tiles leave the L2 first\","
    print "      RANGE(evict_first, 0, 1) STEPPED(0, 1))" }
  { print }'
cp $stage/config.h config.kept
edit $stage/config.h '{ sub(/int evict_first = /, "int first = "); print }'
says "a member of another name is refused" "$stage/config.h;first is the field evict_first" 2 try 03
cp config.kept $stage/config.h
for edit in 's/("BM", 128)/("BM", 128.5)/;BM is 128.5;whole number' 's/("BM", 128)/("Bm", 128)/;the field Bm;did you mean BM?' \
  '/field("BM", 128)/p;the field BM stands there twice'; do
  sed "${edit%%;*}" config.kept > $stage/config.h
  says "in a config.h, ${edit%%;*} is refused" "$stage/config.h;${edit#*;}" 2 try 03
done
sed 's/("BM", 128)/("BM", 128.5)/' config.kept > $stage/config.h
says "a fraction is refused by the compiler alone" "a field of config.h must be a whole number" 1 "$cxx" -std=c++17 \
  -fsyntax-only -x c++ $stage/main.cu
mv config.kept $stage/config.h
edit $stage/kernel.cuh '{ print } /^  const GemmMaker<Cfg> gemm/ {
  print "  static_assert(Cfg::evict_first == 0 || Cfg::evict_first == 1);" }'
grep -q 'Cfg::evict_first' $stage/kernel.cuh > "$output"
verdict $? "the kernel uses it"
small="M=48 N=40 K=72 BM=32 BN=32 warps_per_block_m=1 warps_per_block_n=1"
says "make builds it" "built ./$stage/run" 0 try 03 evict_first=1 $small
says "the program runs with it" "evict_first=1" 0 ./$stage/run
says "its JSON has it" '"evict_first": 1' 0 ./$stage/run --json -
says "its range is kept" "evict_first = 2 must be at most 1: its values are 0 to 1: lower evict_first" \
  2 try 03 evict_first=2
says "other stages do not have it" "evict_first is no field of 02_warp_specialized" 2 try 02 evict_first=1

mv common/tools/fuzz/corpus.txt . && : > common/tools/fuzz/corpus.txt
says "the fuzzer checks it" "0 of them of the corpus and 6 drawn, 0 failed" 0 try fuzz STAGE=03 COUNT=6
mv corpus.txt common/tools/fuzz/
draw=build/fuzz/$stage/draw
says "and draws its values" "evict_first=0;evict_first=1" 0 $draw configs 1 20
simpler() { echo "M=64 N=64 K=64 evict_first=1" | $draw simpler; }
says "and does without where it can" "evict_first=0" 0 simpler

# The tuner's steps from a config, as a program.
cat > steps.cpp << 'END'
#include <cstdio>

#include "common/tools/tune/space.h"
int main() {
  Space space;
  space.fields = all_fields();
  space.card = known_cards().front();
  for (const ConfigValues& values : neighbours(space, space.base)) {
    std::puts(key_of(space, values).c_str());
  }
}
END
try build/emulator/tools/tune/space.o build/emulator/tools/tune/compile.o > "$output" 2>&1 &&
  "$cxx" -std=c++17 -I. -pthread steps.cpp $(find build/emulator/host build/emulator/emulator -name '*.o') \
    build/emulator/tools/tune/space.o -o steps >> "$output" 2>&1
verdict $? "the tuner builds"
says "and tries it" "evict_first=1" 0 ./steps

try build/pages/docs/reference.md > "$output" 2>&1
says "make docs gives it a row" "| \`evict_first\` | 03 | flag | whether tiles leave the L2 first |" \
  0 cat build/pages/docs/reference.md
says "make test STAGE=03 passes" " 0 failed" 0 try test STAGE=03
says "and the common ones build" "LINK" 0 try build/tests/common/run
says "and pass" " 0 failed" 0 build/tests/common/run

[ -z "$nvcc" ] || says "nvcc builds stage and tuner" "tuner.cu" 0 "$make" BACKEND=cuda ARCH=90a "NVCC=$nvcc" \
  evict_first=1 03 build/cuda/tools/tune/tuner.o build/cuda/tools/tune/judge.o
echo end
