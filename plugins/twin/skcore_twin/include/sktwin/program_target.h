// Licensed under the Apache License, Version 2.0.
//
// What a whole program knows of the chip that it was compiled for. Sources that hold kernels define it.
#pragma once

#include <cstdint>

namespace sktwin::program {

struct TargetInfo {
    const char* statements;  // 'target', 'memory' and 'reserved' statements of runtime/job.h
    const char* soc;
    uint32_t arch;  // 2201, 3510
    uint64_t memoryBytes;
    uint64_t l2Bytes;
};

}  // namespace sktwin::program

extern "C" const sktwin::program::TargetInfo sktwin_program_target;
