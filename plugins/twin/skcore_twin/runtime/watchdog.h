// Licensed under the Apache License, Version 2.0.
//
// Notices a kernel that runs on and on without any effect: such a core never comes back to the scheduler, or comes back
// and changes nothing, so that neither a hang nor a fault would end the run.
#pragma once

#include <csignal>

#include "device.h"

namespace sktwin::runtime {

constexpr int kWatchdogSignal = SIGPROF;

// Processor time is what counts: a machine that is busy with something else is no reason. 0 seconds: no limit.
void StartWatchdog(const Patience& patience);
// A launch begins.
void ResetWatchdog();

// A part of the time has passed; the text of the fault when there is one, else empty.
std::string WatchdogText(const Device& device);

}  // namespace sktwin::runtime
