#!/bin/sh
# main_cu.sh FILE...: all are the same, main.cu of the stages say.
export LC_ALL=C
for file in "$@"; do
  if cmp -s "$1" "$file"; then echo "ok $file is $1"; else echo "FAILED $file differs from $1"; fi
done
echo "end $#"
