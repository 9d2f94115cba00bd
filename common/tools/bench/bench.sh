#!/bin/sh
# bench.sh bench|reproduce PROGRAM "FIELDS": runs the benchmark. Its rows go to plots/data, but not
# where FIELDS were changed for this once: the figures show what config.h and the presets say.
export LC_ALL=C
goal=$1 program=$2 fields=$3
if [ "$goal" = reproduce ]; then
  exec "$program" --reproduce
fi
if [ "$fields" ]; then
  echo "no rows are written to plots/data: $fields changed for this once"
  exec "$program"
fi
mkdir -p plots/data
exec "$program" --folder plots/data
