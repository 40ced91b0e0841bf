// Licensed under the Apache License, Version 2.0.
//
// What a whole program knows of the chip that it was compiled for. Sources that hold kernels define it.
#pragma once

#include <cstdint>

namespace sktwin::program {

struct TargetInfo {
    const char* statements;  // 'target' and 'memory' statements of runtime/job.h
    const char* soc;
    uint32_t arch;  // 2201, 3510
    uint64_t memoryBytes;
    uint64_t l2Bytes;
};

// The chip's figures as numbers; cores are those of the product.
struct Chip {
    const char* soc;
    uint32_t arch;
    uint32_t cubeCores;
    uint32_t vectorCores;
    uint64_t l0a, l0b, l0c, l1, ub, bias, fixpipe, memory, l2;
};
Chip TheChip();

}  // namespace sktwin::program

extern "C" const sktwin::program::TargetInfo sktwin_program_target;
