// Licensed under the Apache License, Version 2.0.
//
// What only the headers of system variables need from the runtime, beyond machine.h.
#pragma once

#include <cstdint>

namespace sktwin {

// System workspace of the device: at least 16 MiB, one for all cores, a buffer of global memory.
uint8_t* SystemWorkspace();
constexpr uint64_t kSystemWorkspaceBytes = 16ULL << 20;

// Counter that never goes back. It counts calls, not time: equal seeds give equal values.
uint64_t SystemCounter();

// Registers.scratch slots that these headers use or reset.
constexpr int kScratchVectorModes = 0;       // owned by the vector headers; bit 0 outlives InitSocState
constexpr int kScratchPaddingOfL1 = 1;       // owned by the data movement headers
constexpr int kScratchImage3d = 12;          // padding and L1 boundary of 3D loads, owned by the cube headers
constexpr int kScratchSystemWorkspace = 15;  // address that SetSysWorkspace gave, 0 before

}  // namespace sktwin
