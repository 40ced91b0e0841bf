// Licensed under the Apache License, Version 2.0.
//
// Cross-core flags and intra-block flags: spec device sections 3.1, 3.2 and 11.
#pragma once

#include "device.h"

namespace sktwin::runtime {

void SetFlag(Device* device, int mode, int flag, Site site);
void WaitFlag(Device* device, int flag, Site site);
void SetIntraBlock(Device* device, int flag, Site site);
void WaitIntraBlock(Device* device, int flag, Site site);

// Where a core's set of an intra-block flag arrives; nullptr: the launch has no such core.
CoreState* IntraBlockPeer(const Launch& launch, const CoreState& from, int flag, int* peerFlag);

// Ends the run with a fault when flags or events are left over after the launch.
void CheckResidue(const Device& device);

// The same for the events of one core whose sub-kernel ends: the next one would take them for its own.
void CheckEventResidue(const CoreState& core);

}  // namespace sktwin::runtime
