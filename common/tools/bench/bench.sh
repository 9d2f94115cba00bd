#!/bin/sh
# bench.sh bench|reproduce|curve PROGRAM "FIELDS" SEED: runs the benchmark, in an order drawn by SEED.
# Its rows go to plots/data, but not where FIELDS were changed for this once: the figures show what
# config.h and the presets say.
export LC_ALL=C
goal=$1 program=$2 fields=$3 seed=$4
case $goal in
  reproduce) exec "$program" --reproduce ;;
  curve) set -- --curve ;;
  *) set -- ;;
esac
if [ "$fields" ]; then
  echo "no rows are written to plots/data: $fields changed for this once"
  exec "$program" "$@" --order-seed "$seed"
fi
mkdir -p plots/data
exec "$program" "$@" --order-seed "$seed" --folder plots/data
