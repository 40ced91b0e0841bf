// Licensed under the Apache License, Version 2.0.
#pragma once

#include "lib/matmul_intf.h"
