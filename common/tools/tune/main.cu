// The program behind `make tune`, one for each stage: options.h, config.h and kernel.cuh of the
// stage are included before this file.
#include <cstdio>

#include "../../host/config/describe.h"
#include "../../host/support/refusal.h"
#include "tuner.h"

int main(int argc, char** argv) {
  try {
    const ConfigDescription config = describe<Config>(sizeof(SharedStorage<Config>));
    const void* kernel = reinterpret_cast<const void*>(matmul_kernel<Config>);
    return tune(config, kernel, parse_tune_options({argv + 1, argv + argc}));
  } catch (const Refusal& refusal) {
    std::fprintf(stderr, "refused: %s\n", refusal.what());
    return 2;
  }
}
