#!/bin/sh
# add_stage.sh MAKE CXX NVCC FOLDER: what does it take to add a stage? In a copy of the repository,
# 03_fused_pipeline is copied to 90_copy and nothing else is changed: everything that lists stages
# finds it, and make test misses only what is written by hand. NVCC may be empty. Prints "ok ..." or
# "FAILED ...".
export LC_ALL=C
set -u
subject="a new stage"
. common/tests/support/in_a_copy.sh
cp -R 03_fused_pipeline 90_copy
small="M=48 N=40 K=72 BM=32 BN=32 warps_per_block_m=1 warps_per_block_n=1"

# ---- What finds it

says "make help lists it" ", 90)" 0 try help
says "make builds it by its number" "built ./90_copy/run" 0 try 90 $small
says "and by its folder" "./90_copy/run is up to date" 0 try 90_copy $small
says "it runs" "90_copy;BM=32" 0 ./90_copy/run --check
says "make all is for it, too" "90_copy/main.cu" 0 try -n all
says "make diff sees no difference to its model" "" 0 try diff FROM=03 TO=90
[ ! -s "$output" ]
verdict $? "and prints none"
says "make diff knows it by its folder" \
  "+++ 90_copy/kernel.cuh" 0 try diff FROM=02_warp_specialized TO=90_copy
says "it has the defects of its model" "built ./90_copy/run" 0 try 90 BREAK=no_proxy_fence
says "which are reported" "Refill too early;broken/no_proxy_fence/90_copy/kernel.cuh" 1 \
  ./90_copy/run --check
defects() { common/tools/broken/break.sh list "$1"; }
[ "$(defects 90_copy)" = "$(defects 03_fused_pipeline)" ]
verdict $? "all of them"
says "make compare has a row for it" "90_copy" 0 try compare
says "make fuzz tries it" "90_copy: ; drawn, 0 failed" 0 try fuzz STAGE=90 COUNT=3
# corpus NUMBER: what the fuzzer tries of every stage, without the stage's name.
corpus() { awk -F ' [|] ' '!/^#/ && NF == 3 { print $3 }' "build/fuzz/$1/corpus"; }
try fuzz STAGE=03 COUNT=0 > "$output" 2>&1
[ "$(corpus 90_copy | wc -l)" -gt 20 ] && [ "$(corpus 90_copy)" = "$(corpus 03_fused_pipeline)" ]
verdict $? "with the configs of its model"
try compile_commands.json > "$output" 2>&1
says "editors are told how it is compiled" \
  "\"file\": \"90_copy/main.cu\"" 0 cat compile_commands.json
[ -z "$(command -v python3)" ] ||
  says "the figures know it" "90_copy" 0 python3 plots/repository.py

# Another one beside it, whose files must differ: for #pragma once, equal files are one.
cp -R 90_copy 91_other
echo "// Of 91_other." | tee -a 91_other/config.h 91_other/kernel.cuh >> 91_other/schedule.h
sed 's/^struct KStep {/& int other;/' 91_other/schedule.h > edited && cat edited > 91_other/schedule.h
for stage in 90_copy 91_other; do
  common/tools/bench/in_namespace.sh $stage "unit_$stage" > "unit_$stage.h"
  echo "#include \"unit_$stage.h\""
done > both.cpp
echo 'static_assert(sizeof(unit_90_copy::KStep) < sizeof(unit_91_other::KStep));' >> both.cpp
says "one program holds it and another that has its names" "" 0 \
  "$cxx" -std=c++17 -fsyntax-only -w -I. both.cpp
rm -rf 91_other

if [ -n "$nvcc" ]; then
  says "make resources has a row for it" "90_copy" 0 try resources STAGE=90 ARCH=90a "NVCC=$nvcc"
  says "make tune and make sass take it" "-include 90_copy/kernel.cuh" 0 \
    "$make" -n BACKEND=cuda ARCH=90a "NVCC=$nvcc" tune sass STAGE=90_copy
  says "make bench holds it" "bench/default/90_copy.o" 0 \
    "$make" -n BACKEND=cuda ARCH=90a "NVCC=$nvcc" build/bench/run
fi

# ---- What is written by hand

try test > "$output" 2>&1
status=$?
[ $status -ne 0 ] && grep -q '^FAILED prose of 90_copy' "$output" &&
  ! grep '^FAILED' "$output" | grep -q -v '^FAILED prose of '
verdict $? "make test fails only in what is written by hand"
grep -q '^TEST  cases.90_copy' "$output"
verdict $? "and has run its tests"

# edit FILE SCRIPT...: changes a file by scripts of sed.
edit() {
  file=$1 scripts=
  shift
  for script in "$@"; do scripts="$scripts$script
"; done
  sed "$scripts" "$file" > edited && cat edited > "$file"
}
edit README.md '/^| \[03_fused_pipeline\].* two nested/ { p; s/03_fused_pipeline/90_copy/g; }' \
  's/^00_naive \.\. 03_fused_pipeline /00_naive .. 90_copy /'
for kernel in */kernel.cuh; do edit "$kernel" 's,^// 00_naive > .*,& > 90_copy,'; done
edit 90_copy/kernel.cuh '1s/03_fused_pipeline/90_copy/' \
  's,^// Run: .*,// Run: make 90 \&\& ./90_copy/run,'
edit 90_copy/checks.cpp '1s/03_fused_pipeline/90_copy/'
edit 90_copy/README.md 's/03_fused_pipeline/90_copy/' 's/FROM=02 TO=03/FROM=03 TO=90/' \
  's,^Before: .*,Before: [03_fused_pipeline](../03_fused_pipeline).,'
edit 03_fused_pipeline/README.md '/^Before: /s,$, Next: [90_copy](../90_copy)\, or,' \
  '/^Before: /a\
`make diff FROM=03 TO=90`.'
says "all of it can be written" "end" 0 common/tests/suites/prose.sh [0-9][0-9]_*
! grep '^FAILED' "$output"
verdict $? "and then nothing is missing"
says "make docs puts it into its tables" "| \`wk_stages\` | 03, 90 |" 0 \
  sh -c '"$@" > /dev/null && cat docs/reference.md' - "$make" BACKEND=emulator CXX="$cxx" docs
echo end
