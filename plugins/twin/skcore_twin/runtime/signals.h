// Licensed under the Apache License, Version 2.0.
#pragma once

namespace sktwin::runtime {

// Turns the signals of a kernel that goes wrong into fault reports. They run on a stack of their own, since a core's
// may be what overflowed.
void CatchSignals();

// The same stack for another thread that runs launches; nothing when the thread has one.
void GiveSignalStack();

}  // namespace sktwin::runtime
