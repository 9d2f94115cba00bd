#!/bin/sh
# bench.sh bench|reproduce PROGRAM "FIELDS": runs the benchmark. Its rows go to plots/data, but not
# where FIELDS were changed for this once: the figures show what config.h and the presets say.
goal=$1 program=$2 fields=$3
if [ "$goal" = reproduce ]; then
  exec "$program" --reproduce
fi
commit=$(git rev-parse --short=12 HEAD 2>/dev/null)
if [ "$fields" ]; then
  echo "no rows are written to plots/data: $fields changed for this once"
  exec "$program" --commit "$commit"
fi
mkdir -p plots/data
exec "$program" --folder plots/data --commit "$commit"
