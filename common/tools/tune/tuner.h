// The tuner of one stage: `make tune`.
#pragma once

#include "../../host/config/config_description.h"
#include "tune_options.h"

// Searches, writes plots/data/tune_<card>.csv and <stage>/<card>.preset. `kernel` is that of the
// stage's config. Returns the exit status: 0, or 1 if a legal config gave a wrong product. Throws
// Refusal.
int tune(const ConfigDescription& config, const void* kernel, const TuneOptions& options);
