// Licensed under the Apache License, Version 2.0.
//
// Atomics of outgoing transfers (spec ascendc_data_cube.md 6.6) and the one store to global memory that honours them.
#pragma once

#include <cstdint>
#include <cstring>

#include "ascendc/memory.h"

namespace sktwin {

enum : uint8_t {
    kAtomicNone = 0,
    kAtomicAdd = 1,
    kAtomicMax = 2,
    kAtomicMin = 3
};

template <typename T>
constexpr AscendC::AtomicDtype AtomicTypeOf() {
    using AscendC::AtomicDtype;
    if constexpr (std::is_same_v<T, float>) {
        return AtomicDtype::ATOMIC_F32;
    } else if constexpr (std::is_same_v<T, half>) {
        return AtomicDtype::ATOMIC_F16;
    } else if constexpr (std::is_same_v<T, int16_t>) {
        return AtomicDtype::ATOMIC_S16;
    } else if constexpr (std::is_same_v<T, int32_t>) {
        return AtomicDtype::ATOMIC_S32;
    } else if constexpr (std::is_same_v<T, int8_t>) {
        return AtomicDtype::ATOMIC_S8;
    } else {
        static_assert(std::is_same_v<T, bfloat16_t>,
                      "SetAtomic*: the element type must be int8_t, int16_t, half, bfloat16_t, int32_t or float");
        return AtomicDtype::ATOMIC_BF16;
    }
}

template <typename T>
T AtomicResult(uint8_t operation, T old, T value) {
    if (operation == kAtomicMax) {
        return old > value ? old : value;
    }
    if (operation == kAtomicMin) {
        return old < value ? old : value;
    }
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(value));
    } else {
        return old + value;
    }
}

template <typename T>
void AtomicUpdate(uint8_t operation, uint8_t* destination, const uint8_t* source, uint64_t bytes) {
    for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T old;
        T value;
        memcpy(&old, destination + i, sizeof(T));
        memcpy(&value, source + i, sizeof(T));
        const T result = AtomicResult(operation, old, value);
        memcpy(destination + i, &result, sizeof(T));
    }
}

// Stores one contiguous burst of an outgoing transfer: plain, or combined with what is there, as the core's registers
// say.
inline void StoreGlobal(void* address, const uint8_t* source, uint64_t bytes, Site site) {
    using AscendC::AtomicDtype;
    uint8_t* destination = GlobalAccess(address, bytes, true, site);
    const uint8_t operation = Self().registers.atomicOperation;
    if (operation == kAtomicNone) {
        memcpy(destination, source, bytes);
        return;
    }
    switch (static_cast<AtomicDtype>(Self().registers.atomicType)) {
        case AtomicDtype::ATOMIC_F32:
            return AtomicUpdate<float>(operation, destination, source, bytes);
        case AtomicDtype::ATOMIC_F16:
            return AtomicUpdate<half>(operation, destination, source, bytes);
        case AtomicDtype::ATOMIC_BF16:
            return AtomicUpdate<bfloat16_t>(operation, destination, source, bytes);
        case AtomicDtype::ATOMIC_S32:
            return AtomicUpdate<int32_t>(operation, destination, source, bytes);
        case AtomicDtype::ATOMIC_S16:
            return AtomicUpdate<int16_t>(operation, destination, source, bytes);
        case AtomicDtype::ATOMIC_S8:
            return AtomicUpdate<int8_t>(operation, destination, source, bytes);
        default:
            memcpy(destination, source, bytes);
    }
}

inline void SetAtomic(uint8_t operation, AscendC::AtomicDtype type, Site site) {
    Self().changed.atomic = site;
    Self().registers.atomicOperation = operation;
    Self().registers.atomicType = static_cast<uint8_t>(type);
}

}  // namespace sktwin

namespace AscendC {

template <typename T>
void SetAtomicAdd(sktwin::Site site = sktwin::Site::Here()) {
    sktwin::SetAtomic(sktwin::kAtomicAdd, sktwin::AtomicTypeOf<T>(), site);
}
template <typename T>
void SetAtomicMax(sktwin::Site site = sktwin::Site::Here()) {
    sktwin::SetAtomic(sktwin::kAtomicMax, sktwin::AtomicTypeOf<T>(), site);
}
template <typename T>
void SetAtomicMin(sktwin::Site site = sktwin::Site::Here()) {
    sktwin::SetAtomic(sktwin::kAtomicMin, sktwin::AtomicTypeOf<T>(), site);
}
template <typename T>
void SetAtomicType() {
    sktwin::Self().registers.atomicType = static_cast<uint8_t>(sktwin::AtomicTypeOf<T>());
}
inline void SetAtomicNone() { sktwin::SetAtomic(sktwin::kAtomicNone, AtomicDtype::ATOMIC_NONE, {nullptr, 0}); }
inline void DisableDmaAtomic() { SetAtomicNone(); }

template <AtomicDtype type, AtomicOp op>
void SetStoreAtomicConfig(sktwin::Site site = sktwin::Site::Here()) {
    static_assert(op == AtomicOp::ATOMIC_SUM, "SetStoreAtomicConfig: ATOMIC_SUM is the only operation");
    sktwin::SetAtomic(type == AtomicDtype::ATOMIC_NONE ? sktwin::kAtomicNone : sktwin::kAtomicAdd, type, site);
}
inline void GetStoreAtomicConfig(uint16_t& type, uint16_t& op) {
    type = sktwin::Self().registers.atomicOperation == sktwin::kAtomicNone ? 0 : sktwin::Self().registers.atomicType;
    op = 0;
}

#if __NPU_ARCH__ == 3510
template <typename T>
T AtomicAdd(T* address, T value, sktwin::Site site = sktwin::Site::Here()) {
    T* cell = reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), true, site));
    const T old = *cell;
    *cell = sktwin::AtomicResult(sktwin::kAtomicAdd, old, value);
    return old;
}
template <typename T>
T AtomicMax(T* address, T value, sktwin::Site site = sktwin::Site::Here()) {
    T* cell = reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), true, site));
    const T old = *cell;
    *cell = old > value ? old : value;
    return old;
}
template <typename T>
T AtomicMin(T* address, T value, sktwin::Site site = sktwin::Site::Here()) {
    T* cell = reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), true, site));
    const T old = *cell;
    *cell = old < value ? old : value;
    return old;
}
template <typename T>
T AtomicCas(T* address, T compare, T value, sktwin::Site site = sktwin::Site::Here()) {
    T* cell = reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), true, site));
    const T old = *cell;
    *cell = old == compare ? value : old;
    return old;
}
template <typename T>
T AtomicExch(T* address, T value, sktwin::Site site = sktwin::Site::Here()) {
    T* cell = reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), true, site));
    const T old = *cell;
    *cell = value;
    return old;
}
#endif

}  // namespace AscendC
