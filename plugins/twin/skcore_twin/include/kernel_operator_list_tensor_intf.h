// Licensed under the Apache License, Version 2.0.
#pragma once

#include "ascendc/list_tensor.h"
