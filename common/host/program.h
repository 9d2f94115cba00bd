// Everything that a main.cu needs of the host. The headers are thin; the work is compiled once.
#pragma once

#include "describe.h"
#include "launch.h"
#include "matrices.h"
#include "run.h"
#include "tensor_map.h"
