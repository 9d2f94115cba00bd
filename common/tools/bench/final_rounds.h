// Which of several ways to the same product is the fastest? The peers that have a choice ask this.
#pragma once

#include <vector>

#include "../../host/measure/timing.h"

// The index of the contestant with the least median after two rounds in turn. There must
// be one.
size_t find_fastest(
    std::vector<Contestant>& contestants,
    const Timer& timer,
    const char* what,
    const Progress& progress);
