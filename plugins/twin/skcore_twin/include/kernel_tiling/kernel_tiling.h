// Licensed under the Apache License, Version 2.0.
//
// The plain tiling structures that kernels name.
#pragma once

#include "ascendc/tiling_cube.h"
#include "ascendc/tiling_vector.h"
