// Licensed under the Apache License, Version 2.0.
//
// Reductions of repeats, blocks, pairs and whole tensors (spec ascendc_vector.md 8).
#pragma once

#include "ascendc/vector_lane.h"
#include "ascendc/vector_mask.h"

namespace sktwin {

using AscendC::ReduceOrder;
using AscendC::ReduceType;

// What half data become after each node of a tree when results saturate.
template <typename T>
T Node(T value, const Issue& issue) {
    if constexpr (kIsShortFloat<T>) {
        if (issue.saturate) {
            SaturateLanes<1>(&value);
        }
    }
    return value;
}

// Adjacent pairs, level by level, rounded at each node; lanes that do not execute count as zero.
template <typename T, uint32_t N>
T TreeSum(const T* lane, const Lanes& active, uint32_t first, const Issue& issue) {
    T level[N];
    for (uint32_t i = 0; i < N; ++i) {
        level[i] = active.Test(first + i) ? lane[i] : T(0);
    }
    for (uint32_t width = N; width > 1; width /= 2) {
        for (uint32_t i = 0; i < width / 2; ++i) {
            level[i] = Node(AddOf(level[2 * i], level[2 * i + 1]), issue);
        }
    }
    return level[0];
}

template <typename T>
struct Extremum {
    T value = T(0);
    uint64_t index = 0;
    bool found = false;

    // The first of equal values wins; NaN wins over everything.
    template <ReduceType type>
    void Offer(T candidate, uint64_t at) {
        bool better = !found;
        if (found && !IsNan(value)) {
            better = IsNan(candidate) || (type == ReduceType::MAX ? candidate > value : candidate < value);
        }
        if (better) {
            value = candidate;
            index = at;
            found = true;
        }
    }
    // Saturation mode turns NaN into zero and infinities into the largest values, once a repeat.
    void Finish(const Issue& issue) { value = Node(value, issue); }
};

template <typename T>
using IndexOf = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

template <ReduceType type, typename T>
Extremum<T> ExtremumOf(const T* lane, uint32_t count, const Lanes& active, uint32_t first, const Issue& issue) {
    Extremum<T> result;
    for (uint32_t i = 0; i < count; ++i) {
        if (active.Test(first + i)) {
            result.template Offer<type>(lane[i], first + i);
        }
    }
    result.Finish(issue);
    return result;
}

template <typename T>
void StoreExtremum(uint8_t* base, uint64_t unit, ReduceOrder order, const Extremum<T>& extremum) {
    const auto index = static_cast<IndexOf<T>>(extremum.index);
    const auto wide = static_cast<uint32_t>(extremum.index);
    switch (order) {
        case ReduceOrder::ORDER_VALUE_INDEX:
            memcpy(base + unit * 2 * sizeof(T), &extremum.value, sizeof(T));
            memcpy(base + unit * 2 * sizeof(T) + sizeof(T), &index, sizeof(T));
            return;
        case ReduceOrder::ORDER_INDEX_VALUE:
            memcpy(base + unit * 2 * sizeof(T), &index, sizeof(T));
            memcpy(base + unit * 2 * sizeof(T) + sizeof(T), &extremum.value, sizeof(T));
            return;
        case ReduceOrder::ORDER_ONLY_VALUE:
            memcpy(base + unit * sizeof(T), &extremum.value, sizeof(T));
            return;
        default:
            memcpy(base + unit * 4, &wide, 4);
    }
}

template <typename T>
constexpr uint32_t ResultBytes(ReduceOrder order) {
    return order == ReduceOrder::ORDER_ONLY_VALUE   ? sizeof(T)
           : order == ReduceOrder::ORDER_ONLY_INDEX ? 4
                                                    : 2 * sizeof(T);
}

// {index, value} of the extremum over all repeats of the call, as the 2201 keeps it.
template <typename T>
void RememberExtremum(const Extremum<T>& extremum) {
    uint64_t bits = 0;
    memcpy(&bits, &extremum.value, sizeof(T) < 4 ? sizeof(T) : 4);
    Self().registers.reduceExtremum = extremum.index << 32 | bits;
}

template <ReduceType type, typename T, typename D>
void RunReduceRepeat(const Issue& issue, const Operand<D>& dst, const Operand<T>& src, uint32_t dstRepStride,
                     ReduceOrder order) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kLanes<T>;
    Extremum<T> overall;
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        if (active.None()) {
            continue;
        }
        const LaneBuffer<T, kN> in(src, repeat, active);
        const uint64_t unit = uint64_t(repeat) * dstRepStride;
        if constexpr (type == ReduceType::SUM) {
            alignas(64) D wide[kN];
            for (uint32_t i = 0; i < kN; ++i) {
                wide[i] = static_cast<D>(in.lane[i]);
            }
            const D sum = TreeSum<D, kN>(wide, active, 0, issue);
            memcpy(dst.At(unit * sizeof(D), sizeof(D)), &sum, sizeof(D));
        } else {
            const Extremum<T> extremum = ExtremumOf<type>(in.lane, kN, active, 0, issue);
            const uint32_t bytes = ResultBytes<T>(order);
            StoreExtremum(dst.At(unit * bytes, bytes) - unit * bytes, unit, order, extremum);
            overall.template Offer<type>(extremum.value, uint64_t(repeat) * kN + extremum.index);
        }
    }
    if (type != ReduceType::SUM && overall.found) {
        RememberExtremum(overall);
    }
}

template <ReduceType type, typename T>
void RunReduceBlock(const Issue& issue, const Operand<T>& dst, const Operand<T>& src, uint32_t dstRepStride) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kLanes<T>;
    constexpr uint32_t kE = kN / 8;
    constexpr float kInfinity = __builtin_inff();
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        const LaneBuffer<T, kN> in(src, repeat, active);
        for (uint32_t block = 0; block < 8; ++block) {
            const bool any = active.AnyIn(block * kE, kE);
            if (!any && !kChip3510) {
                continue;
            }
            T result = T(type == ReduceType::SUM ? 0.0f : type == ReduceType::MAX ? -kInfinity : kInfinity);
            if constexpr (type == ReduceType::SUM) {
                result = TreeSum<T, kE>(in.lane + block * kE, active, block * kE, issue);
            } else if (any) {
                result = ExtremumOf<type>(in.lane + block * kE, kE, active, block * kE, issue).value;
            }
            memcpy(dst.Element(uint64_t(repeat) * dstRepStride * 8 + block), &result, sizeof(T));
        }
    }
}

template <typename T>
void RunReducePair(const Issue& issue, const Operand<T>& dst, const Operand<T>& src, uint32_t dstRepStride) {
    if (!dst) {
        return;
    }
    constexpr uint32_t kN = kLanes<T>;
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        const LaneBuffer<T, kN> in(src, repeat, active);
        for (uint32_t pair = 0; pair < kN / 2; ++pair) {
            if (active.AnyIn(2 * pair, 2) || kChip3510) {
                const T sum = TreeSum<T, 2>(in.lane + 2 * pair, active, 2 * pair, issue);
                memcpy(dst.Element(uint64_t(repeat) * dstRepStride * (kN / 2) + pair), &sum, sizeof(T));
            }
        }
    }
}

// Partial sums of the repeats, then the same tree over the partials until one is left.
template <typename T>
T SumOfTrees(const Issue& issue, const Operand<T>& src, const Operand<T>& partials) {
    constexpr uint32_t kN = kLanes<T>;
    const uint32_t repeats = issue.Repeats(kN);
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        const LaneBuffer<T, kN> in(src, repeat, active);
        const T sum = TreeSum<T, kN>(in.lane, active, 0, issue);
        memcpy(partials.Element(repeat), &sum, sizeof(T));
    }
    for (uint32_t left = repeats; left > 1; left = (left + kN - 1) / kN) {
        for (uint32_t first = 0; first < left; first += kN) {
            Lanes active;
            active.prefix = left - first < kN ? left - first : kN;
            T lane[kN] = {};
            memcpy(lane, partials.At(uint64_t(first) * sizeof(T), active.prefix * sizeof(T)),
                   active.prefix * sizeof(T));
            const T sum = TreeSum<T, kN>(lane, active, 0, issue);
            memcpy(partials.Element(first / kN), &sum, sizeof(T));
        }
    }
    T total;
    memcpy(&total, partials.Element(0), sizeof(T));
    return total;
}

// The partials of the repeats, accumulated one after the other.
template <typename T>
T SumInOrder(const Issue& issue, const Operand<T>& src) {
    constexpr uint32_t kN = kLanes<T>;
    T total = T(0);
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        const LaneBuffer<T, kN> in(src, repeat, active);
        const T sum = TreeSum<T, kN>(in.lane, active, 0, issue);
        total = repeat == 0 ? sum : Node(AddOf(total, sum), issue);
    }
    return total;
}

template <typename T>
void RememberSum(T sum) {
    Self().registers.reduceSum = static_cast<float>(sum);
}

// Index: elements from the start of src.
template <ReduceType type, typename T>
Extremum<T> ExtremumOfTensor(const Issue& issue, const Operand<T>& src) {
    constexpr uint32_t kN = kLanes<T>;
    Extremum<T> overall;
    for (uint32_t repeat = 0; repeat < issue.Repeats(kN); ++repeat) {
        const Lanes active = issue.LanesOf(repeat, kN);
        if (active.None()) {
            continue;
        }
        const LaneBuffer<T, kN> in(src, repeat, active);
        const Extremum<T> one = ExtremumOf<type>(in.lane, kN, active, 0, issue);
        overall.template Offer<type>(one.value, uint64_t(repeat) * src.repeatStride * (kN / 8) + one.index);
    }
    overall.Finish(issue);
    return overall;
}

template <ReduceType type, typename T>
void RunReduceExtremum(const Issue& issue, const Operand<T>& dst, const Operand<T>& src, bool withIndex) {
    if (!dst) {
        return;
    }
    const Extremum<T> extremum = ExtremumOfTensor<type>(issue, src);
    if (!extremum.found) {
        return;
    }
    const uint32_t bytes = withIndex ? 2 * sizeof(T) : sizeof(T);
    StoreExtremum(dst.At(0, bytes), 0, withIndex ? ReduceOrder::ORDER_VALUE_INDEX : ReduceOrder::ORDER_ONLY_VALUE,
                  extremum);
    RememberExtremum(extremum);
}

}  // namespace sktwin
