#!/bin/sh
# compile_fail.sh STAGE MAKE CXX FOLDER: tries every config of compile_fail.txt for this stage by make, and by the
# compiler alone; each must be refused with the words that stand there. Prints "ok ..." or "FAILED ..."
# for each.
export LC_ALL=C
set -u
stage=$1 number=${1%%_*} make=$2 cxx=$3 folder=$4
table=common/tests/suites/compile_fail.txt
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
rm -rf "$folder"
common/tests/support/copy_tree.sh "$folder/tree"

# Prints the verdict on one attempt: its exit status, its output, what it was, the words to find.
judge() {
  status=$1 output=$2 what=$3 words=$4
  if [ "$status" -eq 0 ]; then
    echo "FAILED $what: was accepted"
    return
  elif [ -z "$(echo "$words" | tr -d ' ;')" ]; then
    echo "FAILED $what: the table says no words"
    return
  fi
  old_ifs=$IFS
  IFS=';'
  for word in $words; do
    word=$(echo "$word" | sed 's/^ *//; s/ *$//')
    grep -qF -e "$word" "$output" && continue
    echo "FAILED $what: '$word' is not in:"
    head -n 8 "$output" | sed 's/^/       /'
    IFS=$old_ifs
    return
  done
  IFS=$old_ifs
  echo "ok $what"
}

# How row ROW is tried: by_make CONFIG ROW WORDS, and with the same values by_compiler CONFIG ROW WORDS ARCH.
by_make() {
  "$make" -C "$folder/tree" "$stage" BACKEND=emulator ARCH=120a $base $1 "CXX=$cxx" "BUILD=build/$2" > "$folder/$2.make" 2>&1 < /dev/null
  judge $? "$folder/$2.make" "make $number $1" "$3"
}
by_compiler() {
  common/make/options.sh header "$stage" "$4" "$4" '' $base $1 > "$folder/$2.h"
  $cxx -std=c++17 -w -fsyntax-only -x c++ -include "$folder/$2.h" -include "$stage/config.h" \
    -include "$stage/kernel.cuh" common/tools/preflight/instantiate.cu > "$folder/$2.direct" 2>&1 < /dev/null
  judge $? "$folder/$2.direct" "compile $stage with $1" "$3"
}

# The configs are named whole, with all fields that the stage has: the rows hold whatever an edited
# config.h says.
base_of() {
  has=" $(common/make/options.sh fields_of "$1" | tr '\n' ' ')"
  for given in M=512 N=512 K=512 BM=128 BN=128 BK=64 bk_stages=3 warps_per_block_m=2 \
    warps_per_block_n=2 wk_stages=2 swizzle=128 group_m=8 group_n=8 min_blocks_per_sm=1; do
    case $has in *" ${given%=*} "*) printf '%s ' "$given" ;; esac
  done
}

base=$(base_of "$stage")

rows() { sed -n "s/^$number *| *//p" $table; }
row=0
rows | while IFS='|' read -r config make_words compiler_words; do
  config=$(echo "$config" | sed 's/ *$//')
  row=$((row + 1))
  arch=$(echo "$config" | sed -n 's/.*ARCH=\([0-9]*\).*/\1/p')
  fields=$(echo "$config" | sed 's/ARCH=[0-9a-z]*//')
  by_make "$config" $row "$make_words"
  [ -z "$(echo "$compiler_words" | tr -d ' ')" ] ||
    by_compiler "$fields" $row "$compiler_words" "${arch:-120}"
done
echo "end $(rows | awk -F '|' '{ n++ } $3 ~ /[^ ]/ { n++ } END { print n + 0 }')"
