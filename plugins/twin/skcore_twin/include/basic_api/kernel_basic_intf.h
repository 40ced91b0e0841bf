// Licensed under the Apache License, Version 2.0.
//
// The basic interface alone; the twin brings all of it.
#pragma once

#include "kernel_operator.h"
