// Licensed under the Apache License, Version 2.0.
//
// The Matmul class under the name that kernels include.
#pragma once

#include "ascendc/matmul_register.h"

// The older name of the namespace; both may be opened with using directives.
namespace matmul {
using namespace AscendC;
}
