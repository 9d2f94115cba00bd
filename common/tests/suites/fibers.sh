#!/bin/sh
# fibers.sh FOLDER CXX FLAGS... OBJECTS...: how the emulator changes stacks, where a processor or a
# tool watches. What this machine cannot try is passed over, and that is said. Prints "ok ..." or
# "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1 cxx=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
output=$folder/output

subject=fibers
. common/tests/support/verdict.sh

# Goes to a fiber and back three times; with an argument by ucontext.
cat > "$folder/turns.cpp" << 'END'
#include "common/emulator/fiber.h"
using emulator::Fiber;
Fiber here, there;
int turns = 0;
void entry() {
  for (Fiber::on_entry();; here.switch_from(there)) turns++;
}
int main(int arguments, char**) {
  if (arguments > 1) Fiber::by_ucontext = true;
  there.prepare(entry);
  while (turns < 3) there.switch_from(here);
}
END
build() { $cxx -std=c++17 "$@" -I. "$folder/turns.cpp" common/emulator/fiber.cpp -o "$folder/turns" > "$output" 2>&1; }
build && "$folder/turns" && "$folder/turns" by_ucontext
verdict $? "a fiber is left and entered again"
if build -fcf-protection && $cxx -std=c++17 -fcf-protection -c common/emulator/fiber.cpp -o "$folder/fiber.o" &&
  readelf -n "$folder/fiber.o" 2> "$output" | grep -q SHSTK; then
  nm -u "$folder/fiber.o" | grep -q swapcontext && "$folder/turns" && "$folder/turns" by_ucontext
  verdict $? "case 59: what is marked as fit for a shadow stack has ucontext, which switches it"
else
  echo "case 59: passed over, this compiler marks nothing as fit for a shadow stack"
fi

# A stage, small, as memcheck sees it: its errors and those of its fibers' stacks.
common/make/options.sh header 02_warp_specialized 120 120a '' M=32 N=32 K=32 BM=32 BN=32 BK=16 \
  warps_per_block_m=1 warps_per_block_n=1 swizzle=0 > "$folder/options.h"
if command -v valgrind > /dev/null && echo '#include <valgrind/valgrind.h>' | $cxx -fsyntax-only -x c++ - 2> "$output"; then
  $cxx "$@" -include "$folder/options.h" -x c++ 02_warp_specialized/main.cu -o "$folder/run" > "$output" 2>&1 &&
    valgrind --error-exitcode=9 "$folder/run" > "$output" 2>&1
  verdict $? "case 60: valgrind finds no fault in the emulator"
else
  echo "case 60: passed over, there is no valgrind"
fi
echo end
