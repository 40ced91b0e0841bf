// Licensed under the Apache License, Version 2.0.
//
// The register vector API of dav-3510 (spec ascendc_vector.md 12). On another chip its types stop the compilation.
#pragma once

#include "ascendc/reg_arith.h"
#include "ascendc/reg_cast.h"
#include "ascendc/reg_compare.h"
#include "ascendc/reg_load.h"
#include "ascendc/reg_mask.h"
#include "ascendc/reg_names.h"
#include "ascendc/reg_rearrange.h"
#include "ascendc/reg_store.h"
#include "ascendc/reg_types.h"
