#!/bin/sh
# ptx.sh FOLDER COMPILE STAGE: what a shape that its tiles do not divide costs, read off the PTX.
# The main loop must be the same whatever M and N are, and a shape that divides stores C without one
# predicate or branch. Also, a tensor map that is no __grid_constant__ must show as a stack frame.
# Prints "ok ..." or "FAILED ..." for each.
export LC_ALL=C
set -u
folder=$1 nvcc=$2 stage=$3
tiles="BM=128 BN=128 BK=64 warps_per_block_m=2 warps_per_block_n=2"
mkdir -p "$folder"

verdict() { if [ "$1" -eq 0 ]; then echo "ok ptx $2"; else echo "FAILED ptx $2"; fi; }

# compile STAGE NAME FIELDS: the kernel's PTX, without line numbers and comments, to $ptx.
compile() {
  ptx=$folder/$1.$2.ptx
  common/make/options.sh header "$1" 90 90a '' $tiles $3 > "$ptx.h" &&
    $nvcc -ptx -gencode arch=compute_90a,code=compute_90a \
      -include "$ptx.h" -include "$1/config.h" -include "$1/kernel.cuh" common/tools/preflight/instantiate.cu \
      -o "$ptx.full" 2> "$ptx.errors" &&
    sed -e 's,//.*,,' -e '/^[[:space:]]*$/d' "$ptx.full" > "$ptx" ||
    { echo "FAILED ptx $1 $2: does not compile"; cat "$ptx.errors"; exit 0; }
}

# How often each instruction stands in the main loop: from the target of the last branch that jumps
# back over an mma.sync to that branch. Sums and shifts of addresses do not count: nvcc writes them
# once or twice in front of their uses, and ptxas merges them.
main_loop() {
  awk '
    { line[NR] = $0 }
    /^\$[A-Za-z0-9_]+:/ { sub(/:.*/, ""); label[$0] = NR }
    /mma\.sync/ { last_mma = NR }
    /bra/ && match($0, /\$[A-Za-z0-9_]+/) {
      target = substr($0, RSTART, RLENGTH)
      if (target in label && label[target] < last_mma) { from = label[target]; to = NR }
    }
    END {
      for (i = from; i <= to; i++) {
        count = split(line[i], word, /[ \t;]+/)
        for (w = 1; w <= count; w++) if (word[w] ~ /^[a-z][a-z0-9_.:]*$/) {
          if (word[w] !~ /^(add|shl)\.[bsu]32$/) n[word[w]]++
          break
        }
      }
      for (instruction in n) print n[instruction], instruction
    }' "$1" | sort -k 2
}

# Predicates, selects and branches after the first store to global memory, or before it and after the
# main loop.
conditions() {
  awk '
    /^\$[A-Za-z0-9_]+:/ { name = $0; sub(/:.*/, "", name); label[name] = NR }
    /mma\.sync/ { last_mma = NR }
    /bra/ && match($0, /\$[A-Za-z0-9_]+/) && (substr($0, RSTART, RLENGTH) in label) {
      if (label[substr($0, RSTART, RLENGTH)] < last_mma) { found = 0; next }  # the loop is not over
    }
    /setp|selp|@%?p|@!%?p|bra/ { found++ }
    END { print found + 0 }' "$1"
}

floats_stored() {
  awk '/st\.global\.v2\.f32/ { n += 2 } /st\.global\.f32/ { n++ } END { print n + 0 }' "$1"
}

compile "$stage" dividing "M=8192 N=8192 K=8192"
main_loop "$ptx" > "$folder/$stage.loop"
grep -q 'mma.sync' "$folder/$stage.loop"
verdict $? "$stage: a main loop with mma.sync was found"
[ "$(conditions "$ptx")" -eq 0 ]
verdict $? "$stage: a shape that its tiles divide stores C without a predicate"
[ "$(floats_stored "$ptx")" -eq 128 ]
verdict $? "$stage: a thread of 64x64 warp tiles stores 128 numbers"

for shape in "M=8191 N=8192" "M=8192 N=8190" "M=8191 N=4097" "M=1 N=8192"; do
  compile "$stage" "$(echo "$shape" | tr ' ' .)" "$shape K=8192"
  main_loop "$ptx" | cmp -s - "$folder/$stage.loop"
  verdict $? "$stage: $shape has the main loop of 8192 x 8192"
  [ "$(conditions "$ptx")" -gt 0 ]
  verdict $? "$stage: $shape tests for the edge of C"
done

# What ptxas says about a kernel whose maps are copied to the stack, because they can be written to.
copy=$folder/no_grid_constant.$stage
rm -rf "$copy"
mkdir -p "$copy/common/make"
cp -R common/*.h common/*.inc common/*.cuh common/ptx "$copy/common/"
cp -R "$stage" "$copy/"
sed 's/__grid_constant__//' "$stage/kernel.cuh" > "$copy/$stage/kernel.cuh"
sed 's/__grid_constant__//' common/tools/preflight/instantiate.cu > "$copy/instantiate.cu"
common/make/options.sh header "$stage" 120 120a '' $tiles > "$copy/options.h"
frame=$($nvcc -cubin -Xptxas -v -gencode arch=compute_120a,code=sm_120a \
  -include "$copy/options.h" -include "$copy/$stage/config.h" -include "$copy/$stage/kernel.cuh" \
  "$copy/instantiate.cu" -o "$copy/cubin" 2>&1 | sed -n 's/^ *\([0-9]*\) bytes stack frame.*/\1/p')
[ "${frame:-0}" -gt 0 ]
verdict $? "$stage: case 34: a tensor map without __grid_constant__ shows as a stack frame (${frame:-none} bytes)"
echo end
