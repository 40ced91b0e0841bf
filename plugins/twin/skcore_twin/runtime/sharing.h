// Licensed under the Apache License, Version 2.0.
//
// Flags that two sub-kernels of a SuperKernel share: each takes its own sets only, none of those that the framework
// keeps, and none arrives after it has gone (spec device sections 3.1, 3.3 and 3.7).
#pragma once

#include <vector>

#include "device.h"

namespace sktwin::runtime {

// Whether code of a sub-kernel may name this flag; ids of intra-block flags of a second AIV count from 0.
bool IsUsers(const Device& device, int flag);

// The running core sets or waits for a flag: sub-kernels keep to the users' ones.
void RequireOwn(const Device& device, const CoreState& self, int flag, FlagUse use, Site site);

// The oldest sets of these cores complete each other.
void CheckArrivals(const Device& device, const std::vector<CoreState*>& cores, int mode, int flag);

// A core's wait, which its state describes, takes this set.
void CheckTaken(const Device& device, const CoreState& core, const FlagSet& set);

// The set arrives at this core.
void CheckReceiver(const Device& device, const CoreState& core, int flag, const FlagSet& set);

}  // namespace sktwin::runtime
