// Order statistics, as triton.testing.do_bench computes them.
#pragma once

#include <vector>

// The value below which a share `q` (0 to 1) of the samples lies, interpolated linearly between the
// two samples nearest to position q * (n - 1). `samples` must not be empty.
double quantile(std::vector<double> samples, double q);

// The middle sample, or the mean of the middle two. `samples` must not be empty.
double median(const std::vector<double>& samples);
