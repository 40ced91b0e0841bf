// Licensed under the Apache License, Version 2.0.
//
// DumpTensor and what belongs to it.
#pragma once

#include "ascendc/printf.h"
