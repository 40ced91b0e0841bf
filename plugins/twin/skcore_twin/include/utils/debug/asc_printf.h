// Licensed under the Apache License, Version 2.0.
//
// printf of kernels.
#pragma once

#include "ascendc/printf.h"
