#!/bin/sh
# kernel_hash.sh STAGE FIELD=VALUE...: a checksum of what decides how fast a stage's kernel is: its
# code, the device code that all stages share, and the values of its fields, of which the arguments
# override some. Comments, layout and what is included do not count, and M, N and K do not.
export LC_ALL=C
stage=$1
shift

# The code of these files, without comments, layout and includes.
code() {
  cat "$@" | sed -e '/^#include/d' -e 's,//.*,,' -e 's/[[:space:]][[:space:]]*/ /g' \
    -e 's/^ //' -e 's/ $//' -e '/^$/d'
}

{
  code "$stage"/*.cuh $(ls "$stage"/*.h | grep -v '/config\.h$')
  # What config.h says but for the fields' values, and then these.
  code "$stage/config.h" | sed 's/field("\([A-Za-z_0-9]*\)", *[^)]*)/\1/'
  {
    sed -n 's/.*field("\([A-Za-z_0-9]*\)", *\([-A-Za-z0-9_]*\)).*/default \1=\2/p' "$stage/config.h"
    for given in "$@"; do echo "given $given"; done
  } | awk -F'[ =]' '$2 ~ /^[MNK]$/ { next }
      $1 == "default" { order[++n] = $2; value[$2] = $3 }
      $1 == "given" && ($2 in value) { value[$2] = $3 }
      END { for (i = 1; i <= n; i++) print order[i] "=" value[order[i]] }'
  code $(ls common/*.h common/*.cuh common/ptx/* | grep -v -e config_checks -e emulated)
} | cksum | tr ' ' '-'
