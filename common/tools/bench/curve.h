// How a kernel begins after others have had the GPU: what `make curve` records.
#pragma once

#include <string>
#include <vector>

#include "measurement.h"

constexpr double curve_before_s = 3;  // so long runs what is before
constexpr double curve_ms = 1500, curve_bin_ms = 20;

struct Curve {
  std::string after;  // what ran before: the name of a contestant, or `rest`
  std::vector<Bin> bins;
};
constexpr const char* rest = "rest";  // nothing ran

// How a contestant with `flops` operations a launch began after each of several.
struct CurveRecord {
  std::string contestant, config;
  ProblemSize size;
  double flops;
  int repetitions;
  std::vector<Curve> curves;
};

// A header and a row for each bin.
std::string curve_csv(
    const Environment& environment,
    const CurveRecord& record,
    uint64_t order_seed);

// A line for each curve, with its first bins and what it comes to at the end.
std::string curve_report(const CurveRecord& record);
