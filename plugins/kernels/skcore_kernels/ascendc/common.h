// Licensed under the Apache License, Version 2.0.
//
// What the kernels of this library share: how work is split over blocks, and the widening of short floats.
#pragma once

#include <type_traits>

#include "kernel_operator.h"

namespace skcore_kernels {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;

constexpr uint32_t kBuffers = 2;  // double buffering: the copy of one tile overlaps the work on the one before

struct Range {
    uint32_t begin;
    uint32_t end;

    __aicore__ constexpr uint32_t Size() const { return end - begin; }
};

// The part of [0, count) of worker `index` of `workers`: parts differ by at most one, and late workers may have none.
__aicore__ constexpr Range Share(uint32_t count, uint32_t index, uint32_t workers) {
    const uint32_t small = count / workers;
    const uint32_t larger = count % workers;
    const uint32_t begin = index * small + (index < larger ? index : larger);
    return {begin, begin + small + (index < larger ? 1 : 0)};
}

// The same in whole chunks, so that blocks never share a 32-byte block of global memory.
__aicore__ constexpr Range ShareChunks(uint32_t count, uint32_t chunk, uint32_t index, uint32_t workers) {
    const Range chunks = Share(AscendC::DivCeil(count, chunk), index, workers);
    const uint32_t begin = chunks.begin * chunk;
    const uint32_t end = chunks.end * chunk;
    return {begin < count ? begin : count, end < count ? end : count};
}

template <typename T>
constexpr uint32_t kPerBlock = AscendC::ONE_BLK_SIZE / sizeof(T);

// Elements after which a row of `count` elements starts on a 32-byte boundary as T and as float.
template <typename T>
__aicore__ constexpr uint32_t PaddedRow(uint32_t count) {
    constexpr uint32_t unit = kPerBlock<T> > kPerBlock<float> ? kPerBlock<T> : kPerBlock<float>;
    return AscendC::AlignUp(count, unit);
}

template <typename T>
__aicore__ inline void CopyIn(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t count) {
    const AscendC::DataCopyExtParams row(1, count * sizeof(T), 0, 0, 0);
    AscendC::DataCopyPad(to, from, row, AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
}

template <typename T>
__aicore__ inline void CopyOut(const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t count) {
    AscendC::DataCopyPad(to, from, AscendC::DataCopyExtParams(1, count * sizeof(T), 0, 0, 0));
}

template <typename T>
__aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from, uint32_t count) {
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Muls(to, from, 1.0f, static_cast<int32_t>(count));
    } else {
        AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, count);
    }
}

template <typename T>
__aicore__ inline void Narrow(const LocalTensor<T>& to, const LocalTensor<float>& from, uint32_t count) {
    if constexpr (std::is_same_v<T, float>) {
        AscendC::Muls(to, from, 1.0f, static_cast<int32_t>(count));
    } else {
        AscendC::Cast(to, from, AscendC::RoundMode::CAST_RINT, count);
    }
}

// The scalar unit waits for the vector unit, whose results it reads next.
__aicore__ inline void AwaitVector() {
    const AscendC::TEventID event = AscendC::GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S);
    AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
}

__aicore__ inline float ReadBack(const LocalTensor<float>& tensor) {
    AwaitVector();
    return tensor.GetValue(0);
}

// value = value / (1 + exp(-value)); `scratch` has room for as many elements.
__aicore__ inline void Silu(const LocalTensor<float>& value, const LocalTensor<float>& scratch,
                            int32_t count) {
    AscendC::Muls(scratch, value, -1.0f, count);
    AscendC::Exp(scratch, scratch, count);
    AscendC::Adds(scratch, scratch, 1.0f, count);
    AscendC::Div(value, value, scratch, count);
}

}  // namespace skcore_kernels
