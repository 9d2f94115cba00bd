// A config of a stage as the fuzzer runs it: its numbers, its kernel, and how to launch it.
#pragma once

#include <functional>
#include <vector>

#include "../../host/config/config_description.h"
#include "../../host/device/device.h"
#include "../../host/device/matrices.h"

struct FuzzCase {
  ConfigDescription config;
  const void* kernel;
  std::function<void(Device&, const Matrices&)> launch;
};

// The configs of a generated file, in the order in which they were drawn.
std::vector<FuzzCase> fuzz_cases();
