// Licensed under the Apache License, Version 2.0.
//
// Mutexes between the pipes of one core of dav-3510 (spec ascendc_data_cube.md 4.4). Every instruction of the twin
// completes at issue, so that a lock never waits; what is checked is that each pipe unlocks what it has locked.
#pragma once

#include "ascendc/intrinsics.h"

#if __NPU_ARCH__ == 3510
namespace AscendC {

using MutexID = uint8_t;

namespace detail {

constexpr MutexID kUserMutexes = 28;  // the ones above are the framework's
constexpr MutexID kMutexes = 32;

inline void CheckMutex(MutexID id, const char* call, sktwin::Site site) {
    if (id >= kMutexes) {
        sktwin::Fault("mutex-id", site,
                      "%s of mutex %u; there are ids 0 to 27 for users and 28 to 31 for the framework", call, id);
    }
}

}  // namespace detail

class Mutex {
public:
    using Site = sktwin::Site;

    // A pipe that holds the mutex may lock it again.
    template <pipe_t pipe>
    static void Lock(MutexID id, Site site = Site::Here()) {
        detail::CheckMutex(id, "Lock", site);
        sktwin::Self().registers.mutexPipes[id] |= Bit<pipe>();
    }
    template <pipe_t pipe>
    static void Unlock(MutexID id, Site site = Site::Here()) {
        detail::CheckMutex(id, "Unlock", site);
        uint16_t& pipes = sktwin::Self().registers.mutexPipes[id];
        if ((pipes & Bit<pipe>()) == 0) {
            sktwin::Fault("mutex-unlock", site, "Unlock of mutex %u by a pipe that has not locked it", id);
        }
        pipes &= static_cast<uint16_t>(~Bit<pipe>());
    }

private:
    template <pipe_t pipe>
    static constexpr uint16_t Bit() {
        return static_cast<uint16_t>(1U << static_cast<int>(pipe));
    }
};

inline MutexID AllocMutexID(sktwin::Site site = sktwin::Site::Here()) {
    uint32_t& taken = sktwin::Self().registers.mutexIds;
    for (MutexID id = 0; id < detail::kUserMutexes; ++id) {
        if ((taken >> id & 1U) == 0) {
            taken |= 1U << id;
            return id;
        }
    }
    sktwin::Fault("mutex-id", site, "AllocMutexID: all %u ids are taken; call ReleaseMutexID after use",
                  detail::kUserMutexes);
}
inline void ReleaseMutexID(MutexID id, sktwin::Site site = sktwin::Site::Here()) {
    detail::CheckMutex(id, "ReleaseMutexID", site);
    sktwin::Self().registers.mutexIds &= ~(1U << id);
}

}  // namespace AscendC
#endif
