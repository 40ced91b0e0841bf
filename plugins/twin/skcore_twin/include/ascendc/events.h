// Licensed under the Apache License, Version 2.0.
//
// Synchronisation of the pipes of one core: spec device sections 2.1 and 2.2, data_cube section 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ascendc/intrinsics.h"
#include "ascendc/qualifiers.h"

namespace AscendC {

using TEventID = int8_t;

// SOURCE_TARGET: the source pipe sets, the target pipe waits.
enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
    MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
    FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, MAX,
};

enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };

namespace internal {

struct PipePair {
    pipe_t source;
    pipe_t target;
};

constexpr PipePair kPipesOfEvent[] = {
    {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M}, {PIPE_M, PIPE_MTE1}, {PIPE_MTE2, PIPE_V},
    {PIPE_V, PIPE_MTE2}, {PIPE_MTE3, PIPE_V}, {PIPE_V, PIPE_MTE3}, {PIPE_M, PIPE_V}, {PIPE_V, PIPE_M},
    {PIPE_V, PIPE_V}, {PIPE_MTE3, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE3}, {PIPE_MTE1, PIPE_V}, {PIPE_MTE2, PIPE_M},
    {PIPE_M, PIPE_MTE2}, {PIPE_V, PIPE_MTE1}, {PIPE_M, PIPE_FIX}, {PIPE_FIX, PIPE_M}, {PIPE_MTE3, PIPE_MTE2},
    {PIPE_MTE2, PIPE_MTE3}, {PIPE_S, PIPE_V}, {PIPE_V, PIPE_S}, {PIPE_S, PIPE_MTE2}, {PIPE_MTE2, PIPE_S},
    {PIPE_S, PIPE_MTE3}, {PIPE_MTE3, PIPE_S}, {PIPE_MTE2, PIPE_FIX}, {PIPE_FIX, PIPE_MTE2}, {PIPE_FIX, PIPE_S},
    {PIPE_M, PIPE_S}, {PIPE_FIX, PIPE_MTE3}, {PIPE_MTE1, PIPE_FIX}, {PIPE_FIX, PIPE_MTE1}, {PIPE_FIX, PIPE_FIX},
};
static_assert(sizeof(kPipesOfEvent) / sizeof(kPipesOfEvent[0]) == static_cast<size_t>(HardEvent::MAX),
              "each event has its pipes");

// dav-3510 drops what names a pipe that the core lacks; its AIC has no MTE3.
constexpr bool HasPipe(pipe_t pipe) {
    if (pipe == PIPE_S || pipe == PIPE_MTE2 || pipe == PIPE_ALL) {
        return true;
    }
    if (g_coreType == AIV) {
        return pipe == PIPE_V || pipe == PIPE_MTE3;
    }
    return pipe == PIPE_M || pipe == PIPE_MTE1 || pipe == PIPE_FIX || (pipe == PIPE_MTE3 && __NPU_ARCH__ != 3510);
}

// Shared source names events of both kinds; the other kind's emit nothing.
constexpr bool EmitsEvent(HardEvent event) {
    switch (event) {
        case HardEvent::MTE2_V:
        case HardEvent::V_MTE2:
        case HardEvent::MTE3_V:
        case HardEvent::V_MTE3:
        case HardEvent::V_V:
        case HardEvent::S_V:
        case HardEvent::V_S:
            return g_coreType != AIC;
        case HardEvent::MTE2_MTE3:
        case HardEvent::MTE3_MTE2:
        case HardEvent::MTE3_S:
        case HardEvent::S_MTE3:
            return g_coreType != AIC || __NPU_ARCH__ != 3510;
        case HardEvent::MTE2_MTE1:
        case HardEvent::MTE1_MTE2:
        case HardEvent::MTE1_M:
        case HardEvent::M_MTE1:
        case HardEvent::M_FIX:
        case HardEvent::FIX_M:
            return g_coreType != AIV;
        default:
            return true;
    }
}

}  // namespace internal

template <HardEvent event>
inline void SetFlag(int32_t eventId, sktwin::Site site = sktwin::Site::Here()) {
    if constexpr (internal::EmitsEvent(event)) {
        constexpr internal::PipePair pipes = internal::kPipesOfEvent[static_cast<size_t>(event)];
        set_flag(pipes.source, pipes.target, eventId, site);
    }
}

template <HardEvent event>
inline void WaitFlag(int32_t eventId, sktwin::Site site = sktwin::Site::Here()) {
    if constexpr (internal::EmitsEvent(event)) {
        constexpr internal::PipePair pipes = internal::kPipesOfEvent[static_cast<size_t>(event)];
        wait_flag(pipes.source, pipes.target, eventId, site);
    }
}

template <pipe_t source, pipe_t target>
struct TQueSync {
    void SetFlag(TEventID eventId, sktwin::Site site = sktwin::Site::Here()) {
        set_flag(source, target, eventId, site);
    }
    void WaitFlag(TEventID eventId, sktwin::Site site = sktwin::Site::Here()) {
        wait_flag(source, target, eventId, site);
    }
};

template <pipe_t pipe>
inline void PipeBarrier() {
    pipe_barrier(pipe);
}

template <MemDsbT kind>
inline void DataSyncBarrier() {
    dsb(static_cast<mem_dsb_t>(kind));
}

}  // namespace AscendC
