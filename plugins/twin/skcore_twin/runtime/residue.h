// Licensed under the Apache License, Version 2.0.
//
// Flags and events that are left over.
#pragma once

#include "device.h"

namespace sktwin::runtime {

// Ends the run with a fault when flags or events are left over after the launch.
void CheckResidue(const Device& device);

// The same for one core whose sub-kernel ends: the next one would take them for its own.
void CheckResidueOfCall(const Device& device, const CoreState& core);

}  // namespace sktwin::runtime
