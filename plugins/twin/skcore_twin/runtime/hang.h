// Licensed under the Apache License, Version 2.0.
//
// The report of a run in which no core can get on.
#pragma once

#include "device.h"

namespace sktwin::runtime {

// Says for every waiting core, and for the outside, what it waits for and who should have released it, and ends the
// run.
[[noreturn]] void StopWithHang();

// "AIV blocks 0-3, 7" for cores of one kind, numbered as GetBlockIdx numbers them.
std::string BlockList(const std::vector<const CoreState*>& cores);

}  // namespace sktwin::runtime
