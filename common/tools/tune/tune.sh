#!/bin/sh
# tune.sh MINUTES CONFIGS NVCC FOLDER TUNER...: runs the tuners one after another. MINUTES are for all
# of them; by default each gets six. CONFIGS is a file of configs to try instead of a search.
export LC_ALL=C
minutes=$1 configs=$2 nvcc=$3 folder=$4
shift 4
each=$(awk -v all="$minutes" -v n=$# 'BEGIN { print all == "" ? 6 : all / n }')
status=0
for tuner in "$@"; do
  "$tuner" --budget "$each" --nvcc "$nvcc" --work "$folder" ${configs:+--configs "$configs"} ||
    status=$?
done
exit $status
