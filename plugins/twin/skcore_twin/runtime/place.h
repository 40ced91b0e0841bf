// Licensed under the Apache License, Version 2.0.
//
// Where in a kernel's code a signal came: for reports of faults that no call of the runtime noticed.
#pragma once

#include <cstdint>
#include <string>

namespace sktwin::runtime {

// An address inside a module; an empty path: not known.
struct Place {
    std::string module;
    uint64_t offset = 0;
};

// Unwinding loads what it needs at its first use, which must not be inside a signal handler.
void PreparePlaces();

// The innermost code of a module that the interrupted core is in; `context` is what the signal's handler got. Reads the
// core's stack, so it may fault itself.
Place InterruptedPlace(const void* context);

}  // namespace sktwin::runtime
