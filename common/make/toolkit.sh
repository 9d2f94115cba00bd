#!/bin/sh
# toolkit.sh NVCC: the folder of the CUDA Toolkit's libraries, as nvcc knows it, or nothing where the loader
# knows it, too, or nobody does.
export LC_ALL=C
top=$($1 --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
for folder in "$top"/lib64 "$top"/targets/*/lib; do
  [ -n "$top" ] && ls "$folder"/libcublas.* > /dev/null 2>&1 && cd "$folder" && pwd && exit
done
exit 0
