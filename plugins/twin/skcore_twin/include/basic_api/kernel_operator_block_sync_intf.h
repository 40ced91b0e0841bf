// Licensed under the Apache License, Version 2.0.
//
// Synchronisation of blocks; the twin brings all of the interface.
#pragma once

#include "kernel_operator.h"
