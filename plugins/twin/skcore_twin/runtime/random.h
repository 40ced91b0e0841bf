// Licensed under the Apache License, Version 2.0.
//
// The one source of chance in a run. Own generator: the standard distributions differ between libraries, and a seed
// must give the same run everywhere.
#pragma once

#include <cstdint>

namespace sktwin::runtime {

class Random {
public:
    explicit Random(uint64_t seed = 1) {
        for (uint64_t& word : state_) {
            seed += 0x9E3779B97F4A7C15ULL;
            uint64_t mixed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9ULL;
            mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
            word = mixed ^ (mixed >> 31);
        }
    }

    // xoshiro256**.
    uint64_t Next() {
        const uint64_t result = Rotate(state_[1] * 5, 7) * 9;
        const uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = Rotate(state_[3], 45);
        return result;
    }

    // Uniform in [0, limit); limit > 0.
    uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(((Next() >> 32) * limit) >> 32); }

private:
    static uint64_t Rotate(uint64_t value, int bits) { return (value << bits) | (value >> (64 - bits)); }

    uint64_t state_[4];
};

}  // namespace sktwin::runtime
