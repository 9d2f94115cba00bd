#!/bin/sh
# bench_entries.sh NAME...: the source that lists the kernels of the benchmark, each a function NAME.
echo '// Written by make: what this benchmark holds.'
echo '#include "common/bench/bench_kernel.h"'
printf 'BenchKernel %s();\n' "$@"
echo 'std::vector<BenchKernel> bench_kernels() {'
echo '  return {'
printf '      %s(),\n' "$@"
echo '  };'
echo '}'
