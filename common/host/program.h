// Everything that a main.cu needs of the host. The headers are thin; the work is compiled once.
#pragma once

#include "config/describe.h"
#include "device/launch.h"
#include "device/matrices.h"
#include "device/tensor_map.h"
#include "run/run.h"
