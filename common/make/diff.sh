#!/bin/sh
# What one stage changes in another: diff.sh FROM TO, each a number like 01 or a folder like
# 01_swizzle. Always succeeds when both exist; that they differ is no error.
export LC_ALL=C
[ $# -eq 2 ] && [ -n "$1" ] && [ -n "$2" ] || {
  echo "name two stages, as in: make diff FROM=01 TO=02"
  exit 1
}
folder_of() { ls -d [0-9][0-9]_*/ | grep -x -F -e "${1%/}/" || ls -d "$1"_*/ 2> /dev/null; }
from=$(folder_of "$1") to=$(folder_of "$2")
for pair in "$1:$from" "$2:$to"; do
  [ -n "${pair#*:}" ] || {
    echo "there is no stage '${pair%%:*}'; the stages are" [0-9][0-9]_*/
    exit 1
  }
done
for file in config.h kernel.cuh; do
  diff -u "$from$file" "$to$file"
  [ $? -le 1 ] || exit 1
done
