#!/bin/sh
# run.sh MAKE CXX FOLDER: tries every config of configs.txt by make, and by the compiler alone; each
# must be refused with the words that stand there. Prints "ok ..." or "FAILED ..." for each.
make=$1 cxx=$2 folder=$3
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
rm -rf "$folder"
mkdir -p "$folder"

# Prints the verdict on one attempt: its exit status, its output, what it was, the words to find.
judge() {
  status=$1 output=$2 what=$3 words=$4
  if [ "$status" -eq 0 ]; then
    echo "FAILED $what: was accepted"
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

# How a row is tried: by `make STAGE CONFIG`, and with the same values by the compiler alone.
by_make() {
  "$make" "$1" BACKEND=emulator ARCH=120a $(base_of "$1") $2 "CXX=$cxx" "BUILD=$folder/$3" > "$folder/$3.make" 2>&1
  judge $? "$folder/$3.make" "make $1 $2" "$4"
}
by_compiler() {
  stage=$(ls -d "$1"_*)
  common/make/options.sh header "$stage" "$5" "$5" '' $(base_of "$1") $2 > "$folder/$3.h"
  "$cxx" -std=c++17 -w -fsyntax-only -x c++ -include "$folder/$3.h" -include "$stage/config.h" \
    -include "$stage/kernel.cuh" common/tools/preflight/instantiate.cu > "$folder/$3.direct" 2>&1
  judge $? "$folder/$3.direct" "compile $stage with $2" "$4"
}

# The configs are named whole, with all fields that the stage has: the rows hold whatever an edited
# config.h says.
base_of() {
  has=" $(common/make/options.sh fields_of "$(ls -d "$1"_*)" | tr '\n' ' ')"
  for given in M=512 N=512 K=512 BM=128 BN=128 BK=64 bk_stages=3 warps_per_block_m=2 \
    warps_per_block_n=2 wk_stages=2 swizzle=128 group_m=8 group_n=8 min_blocks_per_sm=1; do
    case $has in *" ${given%=*} "*) printf '%s ' "$given" ;; esac
  done
}

row=0
while IFS='|' read -r stage config make_words compiler_words; do
  config=$(echo "$config" | sed "s,^ *,,; s, *$,,") stage=$(echo $stage)
  case $stage in '#'* | '') continue ;; esac
  row=$((row + 1))
  arch=$(echo "$config" | sed -n 's/.*ARCH=\([0-9]*\).*/\1/p')
  fields=$(echo "$config" | sed 's/ARCH=[0-9a-z]*//')
  by_make $stage "$config" $row "$make_words"
  [ -z "$(echo "$compiler_words" | tr -d ' ')" ] ||
    by_compiler $stage "$fields" $row "$compiler_words" "${arch:-120}"
done < common/tests/compile_fail/configs.txt
