// Licensed under the Apache License, Version 2.0.
//
// Assertions of kernels.
#pragma once

#include "ascendc/printf.h"
