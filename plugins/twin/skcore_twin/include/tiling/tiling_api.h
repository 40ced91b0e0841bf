// Licensed under the Apache License, Version 2.0.
//
// What host code includes to compute the tiling of the advanced API.
#pragma once

#include "host/matmul_tiling.h"
#include "host/tiling_activation.h"
#include "host/tiling_data.h"
#include "host/tiling_math.h"
#include "host/tiling_norm.h"
#include "host/tiling_reduce.h"
#include "host/tiling_softmax.h"
#include "host/tiling_transform.h"
#include "tiling/platform/platform_ascendc.h"
