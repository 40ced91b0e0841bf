// Licensed under the Apache License, Version 2.0.
//
// Cross-core flags and intra-block flags: spec device sections 3.1, 3.2 and 11.
#pragma once

#include "device.h"

namespace sktwin::runtime {

void SetFlag(Device* device, int mode, int flag, Site site, FlagUse use);
void WaitFlag(Device* device, int flag, Site site, FlagUse use);
void SetIntraBlock(Device* device, int flag, Site site, FlagUse use);
void WaitIntraBlock(Device* device, int flag, Site site, FlagUse use);

// Where a core's set of an intra-block flag arrives; nullptr: the launch has no such core.
CoreState* IntraBlockPeer(const Launch& launch, const CoreState& from, int flag, int* peerFlag);

}  // namespace sktwin::runtime
