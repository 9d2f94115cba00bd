#!/bin/sh
# bench_entries.sh "STAGES" "CUTLASS": the source that lists the kernels of the benchmark, those of
# the stages and those of CUTLASS, if any. Each name is a function that another object defines.
export LC_ALL=C
list() { # list TYPE FUNCTION NAME...
  type=$1 function=$2
  shift 2
  for name in "$@"; do echo "$type $name();"; done
  echo "std::vector<$type> $function() {"
  echo '  return {'
  for name in "$@"; do echo "      $name(),"; done
  echo '  };'
  echo '}'
}

echo '// Written by make: what this benchmark holds.'
echo '#include "common/tools/bench/bench_kernel.h"'
echo '#include "common/tools/bench/peers.h"'
list MatmulKernel bench_kernels $1
list CutlassKernel cutlass_kernels $2
