// Licensed under the Apache License, Version 2.0.
//
// The sets that a counter holds: who made each and what for, so that a wait never takes another sub-kernel's unnoticed.
#pragma once

#include <cstdint>

#include "sktwin/machine.h"

namespace sktwin::runtime {

// One set of a flag.
struct FlagSet {
    uint32_t call;  // number of the sub-kernel's call, kNoCall: code of the launch itself
    FlagUse use;
    Site site;
};

// Oldest first. A counter of the device holds no more.
class FlagSets {
public:
    static constexpr uint32_t kMost = 15;

    uint32_t size() const { return size_; }
    const FlagSet& front() const { return sets_[first_]; }
    void Push(const FlagSet& set) { sets_[(first_ + size_++) % kMost] = set; }
    FlagSet Pop() {
        const FlagSet set = front();
        first_ = (first_ + 1) % kMost;
        --size_;
        return set;
    }
    void Clear() { size_ = 0; }

private:
    FlagSet sets_[kMost];
    uint32_t first_ = 0;
    uint32_t size_ = 0;
};

}  // namespace sktwin::runtime
