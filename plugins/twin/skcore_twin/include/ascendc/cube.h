// Licensed under the Apache License, Version 2.0.
//
// The cube's instructions: loads, Mmad and the way out of L0C.
#pragma once

#include "ascendc/cube_fixpipe.h"
#include "ascendc/cube_load.h"
#include "ascendc/cube_load3d.h"
#include "ascendc/cube_mmad.h"
#include "ascendc/cube_types.h"
