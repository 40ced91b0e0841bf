// Licensed under the Apache License, Version 2.0.
//
// What a sub-kernel has to keep between its call and its end inside a SuperKernel, besides flags: early-start calls, its
// cores, and the state of the core that the next sub-kernel finds (spec device sections 1.5, 2.4 and 5.1).
#pragma once

#include "device.h"

namespace sktwin::runtime {

// The running core is inside its call: whether it belongs there.
void CheckCall(const Device& device, const CoreState& core);

// It calls SetNextTaskStart, or WaitPreTaskEnd.
void CountNextTaskStart(CoreState* core, Site site);
void CountPreTaskEnd(CoreState* core, Site site);

// It is about to leave: what it did not do, and what it leaves changed.
void CheckEnd(const CoreState& core);

}  // namespace sktwin::runtime
