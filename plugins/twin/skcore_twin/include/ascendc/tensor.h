// Licensed under the Apache License, Version 2.0.
//
// GlobalTensor and LocalTensor (spec ascendc_data_cube.md 1.2 and 1.3): views of global and of on-chip memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/memory.h"
#include "ascendc/tensor_expression.h"

namespace AscendC {

using TBuffHandle = uint8_t*;
using TBufHandle = TBuffHandle;

// The address of a local tensor: its position, and bytes [bufferAddr, bufferAddr + dataLen) of the position's memory.
struct TBuffAddr {
    uint32_t dataLen = 0;
    uint32_t bufferAddr = 0;
    TBuffHandle bufferHandle = nullptr;  // block of the queue that owns the bytes, or null
    uint8_t logicPos = static_cast<uint8_t>(TPosition::MAX);
};

template <typename T>
struct PrimTypeOf {
    using type = T;
};
template <typename T>
using PrimT = typename PrimTypeOf<T>::type;

template <typename T>
class GlobalTensor;

namespace detail {

// Reads convert, assignments store: `g(i) = v` and `v = g(i)` both go through the checked access.
template <typename T>
class GlobalElement {
public:
    GlobalElement(T* address, uint64_t index, sktwin::Site site) : address_(address), index_(index), site_(site) {}
    operator T() const { return GlobalTensor<T>::Load(address_, index_, site_); }
    GlobalElement& operator=(T value) {
        GlobalTensor<T>::Store(address_, index_, value, site_);
        return *this;
    }
    GlobalElement& operator=(const GlobalElement& other) { return *this = static_cast<T>(other); }

private:
    T* address_;
    uint64_t index_;
    sktwin::Site site_;
};

// One of the two values of a byte.
class NibbleElement {
public:
    NibbleElement(int4b_t* byte, bool high) : byte_(byte), high_(high) {}
    operator int8_t() const { return static_cast<int8_t>(static_cast<int8_t>(byte_->pair << (high_ ? 0 : 4)) >> 4); }
    operator int4b_t() const { return int4b_t(static_cast<int8_t>(*this)); }
    NibbleElement& operator=(int4b_t value) {
        const uint32_t nibble = value.pair & 0xfu;
        byte_->pair =
            static_cast<uint8_t>(high_ ? (byte_->pair & 0x0fu) | (nibble << 4) : (byte_->pair & 0xf0u) | nibble);
        return *this;
    }

private:
    int4b_t* byte_;
    bool high_;
};

template <typename T>
T* Advance(T* base, uint64_t elements) {
    if constexpr (sktwin::kElementBits<T> == 4) {
        return base + elements / 2;
    } else {
        return base + elements;
    }
}

}  // namespace detail

template <typename T>
class GlobalTensor {
public:
    using PrimType = PrimT<T>;
    using Site = sktwin::Site;

    void SetGlobalBuffer(PrimType* buffer, uint64_t bufferSize) {
        address_ = buffer;
        size_ = bufferSize;
    }
    void SetGlobalBuffer(PrimType* buffer) { SetGlobalBuffer(buffer, 0); }

    PrimType* GetPhyAddr() const { return address_; }
    PrimType* GetPhyAddr(uint64_t offset) const { return detail::Advance(address_, offset); }
    uint64_t GetSize() const { return size_; }

    PrimType GetValue(uint64_t offset, Site site = Site::Here()) const { return Load(address_, offset, site); }
    void SetValue(uint64_t offset, PrimType value, Site site = Site::Here()) { Store(address_, offset, value, site); }
    detail::GlobalElement<PrimType> operator()(uint64_t offset) const {
        return {address_, offset, Site{__FILE__, __LINE__}};
    }
    GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor view = *this;
        view.address_ = GetPhyAddr(offset);
        return view;
    }

    void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
    ShapeInfo GetShapeInfo() const { return shape_; }

    template <CacheRwMode rwMode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode) {}

    template <typename U>
    GlobalTensor<U> ReinterpretCast() const {
        static_assert(sktwin::kChip3510 && sizeof(U) > 0, "GlobalTensor::ReinterpretCast: dav-2201 does not have it");
        GlobalTensor<U> view;
        view.SetGlobalBuffer(reinterpret_cast<PrimT<U>*>(address_),
                             size_ * sktwin::kElementBits<PrimType> / sktwin::kElementBits<PrimT<U>>);
        view.SetShapeInfo(shape_);
        return view;
    }

    static PrimType Load(PrimType* address, uint64_t index, Site site) {
        auto* element = reinterpret_cast<PrimType*>(
            sktwin::GlobalAccess(detail::Advance(address, index), sizeof(PrimType), false, site));
        if constexpr (sktwin::kElementBits<PrimType> == 4) {
            return detail::NibbleElement(element, index % 2 != 0);
        } else {
            return *element;
        }
    }
    static void Store(PrimType* address, uint64_t index, PrimType value, Site site) {
        auto* element = reinterpret_cast<PrimType*>(
            sktwin::GlobalAccess(detail::Advance(address, index), sizeof(PrimType), true, site));
        if constexpr (sktwin::kElementBits<PrimType> == 4) {
            detail::NibbleElement(element, index % 2 != 0) = value;
        } else {
            *element = value;
        }
    }

private:
    PrimType* address_ = nullptr;
    uint64_t size_ = 0;
    ShapeInfo shape_;
};

template <typename T>
class LocalTensor {
public:
    using PrimType = PrimT<T>;
    using Site = sktwin::Site;

    LocalTensor() = default;
    LocalTensor(TPosition position, uint32_t address, uint32_t tileSize, Site site = Site::Here()) {
        address_.logicPos = static_cast<uint8_t>(position);
        address_.bufferAddr = address;
        address_.dataLen = static_cast<uint32_t>(sktwin::BytesOf<PrimType>(tileSize));
        sktwin::CheckLocalAlignment(GetMemory(), address, ONE_BLK_SIZE, site);
        sktwin::CheckLocalRange(GetMemory(), address, address_.dataLen, site);
    }
    explicit LocalTensor(const TBuffAddr& address) : address_(address) {}

    PrimType* GetPhyAddr() const { return GetPhyAddr(0); }
    // Null on a core that lacks the memory.
    PrimType* GetPhyAddr(uint32_t offset) const {
        uint8_t* base =
            sktwin::LocalSize(GetMemory()) == 0 ? nullptr : sktwin::Self().local[static_cast<int>(GetMemory())];
        return base == nullptr ? nullptr
                               : detail::Advance(reinterpret_cast<PrimType*>(base + address_.bufferAddr), offset);
    }
    sktwin::Memory GetMemory() const { return sktwin::MemoryOf(static_cast<TPosition>(address_.logicPos)); }
    uint32_t GetByteOffset() const { return address_.bufferAddr; }

    PrimType GetValue(uint32_t index, Site site = Site::Here()) const {
        PrimType* element = Element(index, site);
        if (element == nullptr) {
            return PrimType(0);
        }
        if constexpr (sktwin::kElementBits<PrimType> == 4) {
            return detail::NibbleElement(element, index % 2 != 0);
        } else {
            return *element;
        }
    }
    template <typename U>
    void SetValue(uint32_t index, U value, Site site = Site::Here()) const {
        PrimType* element = Element(index, site);
        if (element == nullptr) {
            return;
        }
        if constexpr (sktwin::kElementBits<PrimType> == 4) {
            detail::NibbleElement(element, index % 2 != 0) = PrimType(value);
        } else {
            *element = static_cast<PrimType>(value);
        }
    }
    decltype(auto) operator()(uint32_t index) const {
        PrimType* element = Element(index, Site{__FILE__, __LINE__});
        if constexpr (sktwin::kElementBits<PrimType> == 4) {
            return detail::NibbleElement(element, index % 2 != 0);
        } else {
            return static_cast<PrimType&>(*element);
        }
    }
    // The view keeps the end of the parent: its length is what is left.
    LocalTensor operator[](uint32_t offset) const {
        LocalTensor view = *this;
        const uint32_t bytes = static_cast<uint32_t>(sktwin::BytesOf<PrimType>(offset));
        view.address_.bufferAddr += bytes;
        view.address_.dataLen = address_.dataLen > bytes ? address_.dataLen - bytes : 0;
        return view;
    }

    uint32_t GetSize() const { return static_cast<uint32_t>(sktwin::ElementsIn<PrimType>(address_.dataLen)); }
    void SetSize(uint32_t size) { address_.dataLen = static_cast<uint32_t>(sktwin::BytesOf<PrimType>(size)); }
    uint32_t GetLength() const { return address_.dataLen; }
    void SetBufferLen(uint32_t dataLen) { address_.dataLen = dataLen; }
    int32_t GetPosition() const { return address_.logicPos; }

    template <typename U>
    LocalTensor<U> ReinterpretCast() const {
        LocalTensor<U> view(address_);
        view.SetUserTag(tag_);
        view.SetShapeInfo(shape_);
        return view;
    }
    template <typename U>
    void SetAddrWithOffset(const LocalTensor<U>& source, uint32_t offset) {
        address_ = source[offset].GetAddress();
    }
    void SetAddr(const TBuffAddr& address) { address_ = address; }
    const TBuffAddr& GetAddress() const { return address_; }

    void SetUserTag(TTagType tag) { tag_ = tag; }
    TTagType GetUserTag() const { return tag_; }
    void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
    ShapeInfo GetShapeInfo() const { return shape_; }

    template <typename Operation, typename U>
    void operator=(const detail::TensorExpression<Operation, U>& expression) {
        expression.AssignTo(*this);
    }

private:
    PrimType* Element(uint32_t index, Site site) const {
        if (GetMemory() != sktwin::Memory::kUb) {
            sktwin::Fault("local-scalar-access", site,
                          "scalar access to a tensor in %s; the scalar unit reaches only UB",
                          sktwin::MemoryName(GetMemory()));
        }
        sktwin::CheckLocalRange(GetMemory(), address_.bufferAddr, sktwin::BytesOf<PrimType>(uint64_t(index) + 1), site);
        return GetPhyAddr(index);
    }

    TBuffAddr address_;
    TTagType tag_ = 0;
    ShapeInfo shape_;
};

}  // namespace AscendC
