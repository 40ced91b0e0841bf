// Licensed under the Apache License, Version 2.0.
//
// What host code includes to compute the tiling of the advanced API.
#pragma once

#include "host/matmul_tiling.h"
#include "host/tiling_data.h"
#include "tiling/platform/platform_ascendc.h"
