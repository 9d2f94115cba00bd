#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) throw std::invalid_argument("quantile of no samples");
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("a quantile lies between 0 and 1");
  std::sort(samples.begin(), samples.end());
  const double position = q * (samples.size() - 1);
  const double below = std::floor(position);
  const double weight = position - below;
  const double lower = samples[static_cast<size_t>(below)];
  const double upper = samples[static_cast<size_t>(std::ceil(position))];
  return (1 - weight) * lower + weight * upper;
}

double median(const std::vector<double>& samples) { return quantile(samples, 0.5); }
