// Licensed under the Apache License, Version 2.0.
//
// DataCopy (spec ascendc_data_cube.md 5): plain moves between global memory, UB, L1, the bias table and the Fixpipe
// buffer. A call on a core that lacks one of the memories does nothing.
#pragma once

#include "ascendc/copy_engine.h"
#include "ascendc/data_copy_nz.h"
#include "ascendc/data_copy_pad.h"
#include "ascendc/loop_mode.h"

namespace AscendC {

namespace detail {

inline sktwin::BlockMove MoveOf(const DataCopyParams& params) {
    return sktwin::BlockMove::Gaps(params.blockCount, uint64_t(params.blockLen) * ONE_BLK_SIZE,
                                   uint64_t(params.srcStride) * ONE_BLK_SIZE,
                                   uint64_t(params.dstStride) * ONE_BLK_SIZE);
}

// Whole 32-byte blocks only: the device drops what is left over, silently.
template <typename T>
sktwin::BlockMove MoveOf(uint32_t count) {
    const uint64_t bytes = sktwin::BytesOf<T>(count) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    return sktwin::BlockMove::Gaps(1, bytes, 0, 0);
}

template <typename T>
void CopyIn(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const sktwin::BlockMove& move, sktwin::Site site) {
    if (move.Empty()) {
        return;
    }
    const sktwin::Memory memory = dst.GetMemory();
    sktwin::CheckPath(memory == sktwin::Memory::kUb || memory == sktwin::Memory::kL1, "DataCopy", memory, site);
    ForEachLoop(DataCopyMVType::OUT_TO_UB, dst, src, [&](const LocalTensor<T>& to, const GlobalTensor<T>& from) {
        if (uint8_t* local = sktwin::LocalBytes(to, move.DestinationExtent(), site)) {
            sktwin::MoveIn(local, from.GetPhyAddr(), move, site);
        }
    });
}

template <typename T>
void CopyOut(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const sktwin::BlockMove& move, sktwin::Site site) {
    if (move.Empty()) {
        return;
    }
    const sktwin::Memory memory = src.GetMemory();
    const bool fromL1 = memory == sktwin::Memory::kL1 && !sktwin::kChip3510;
    sktwin::CheckPath(memory == sktwin::Memory::kUb || fromL1, "DataCopy", memory, site);
    ForEachLoop(DataCopyMVType::UB_TO_OUT, src, dst, [&](const LocalTensor<T>& from, const GlobalTensor<T>& to) {
        if (const uint8_t* local = sktwin::LocalBytes(from, move.SourceExtent(), site)) {
            sktwin::MoveOut(to.GetPhyAddr(), local, move, site);
        }
    });
}

// The bias table holds 4-byte elements whatever the source type.
template <typename T, typename U>
void CopyToBias(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params, sktwin::Site site) {
    const sktwin::CopyUnits units = sktwin::UnitsInto(sktwin::Memory::kBias);
    const uint64_t length = uint64_t(params.blockLen) * units.length;
    const uint64_t elements = length / sizeof(U);
    const auto move = sktwin::BlockMove{params.blockCount, length, length + uint64_t(params.srcStride) * ONE_BLK_SIZE,
                                        elements * 4 + uint64_t(params.dstStride) * units.destinationGap};
    const uint64_t extent = (params.blockCount - 1) * move.destinationPitch + elements * 4;
    uint8_t* to = sktwin::LocalBytes(dst, extent, site, sktwin::Self(), 64);
    const uint8_t* from = sktwin::LocalBytes(src, move.SourceExtent(), site);
    if (to == nullptr || from == nullptr) {
        return;
    }
    for (uint32_t i = 0; i < move.count; ++i) {
        for (uint64_t j = 0; j < elements; ++j) {
            U value;
            memcpy(&value, from + i * move.sourcePitch + j * sizeof(U), sizeof(U));
            if constexpr (sktwin::kIsShortFloat<U>) {
                const float wide = static_cast<float>(value);
                memcpy(to + i * move.destinationPitch + j * 4, &wide, 4);
            } else {
                static_assert(sizeof(U) == 4,
                              "DataCopy to the bias table: the source must be half, bfloat16_t, float or int32_t");
                memcpy(to + i * move.destinationPitch + j * 4, &value, 4);
            }
        }
    }
}

template <typename T, typename U>
void CopyToFixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
                   sktwin::Site site) {
    const sktwin::CopyUnits units = sktwin::UnitsInto(sktwin::Memory::kFixpipe);
    const uint64_t length = uint64_t(params.blockLen) * units.length;
    // Strides into this buffer are measured from head to head.
    const sktwin::BlockMove move{params.blockCount, length, uint64_t(params.srcStride) * ONE_BLK_SIZE,
                                 uint64_t(params.dstStride) * units.destinationGap};
    uint8_t* to = sktwin::LocalBytes(dst, move.DestinationExtent(), site, sktwin::Self(), 64);
    const uint8_t* from = sktwin::LocalBytes(src, move.SourceExtent(), site);
    if (to != nullptr && from != nullptr) {
        sktwin::MoveLocal(to, from, move);
    }
}

template <typename T, typename U>
void CopyLocal(const LocalTensor<T>& dst, const LocalTensor<U>& src, const sktwin::BlockMove& move, sktwin::Site site) {
    using sktwin::Memory;
    if (move.Empty()) {
        return;
    }
    if (src.GetMemory() == Memory::kUb && dst.GetMemory() == Memory::kL1) {
        return CopyToGroupL1(dst, src, move, site);
    }
    const uint8_t* from = sktwin::LocalBytes(src, move.SourceExtent(), site);
    uint8_t* to = sktwin::LocalBytes(dst, move.DestinationExtent(), site);
    if (to != nullptr && from != nullptr) {
        sktwin::MoveLocal(to, from, move);
    }
}

}  // namespace detail

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
              sktwin::Site site = sktwin::Site::Here()) {
    detail::CopyIn(dst, src, detail::MoveOf<PrimT<T>>(count), site);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              sktwin::Site site = sktwin::Site::Here()) {
    detail::CopyIn(dst, src, detail::MoveOf(params), site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              sktwin::Site site = sktwin::Site::Here()) {
    detail::CopyOut(dst, src, detail::MoveOf<PrimT<T>>(count), site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              sktwin::Site site = sktwin::Site::Here()) {
    detail::CopyOut(dst, src, detail::MoveOf(params), site);
}

template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
              sktwin::Site site = sktwin::Site::Here()) {
    const bool nothing = params.blockCount == 0 || params.blockLen == 0;
    if (nothing) {
        return;
    }
    if (dst.GetMemory() == sktwin::Memory::kBias) {
        if constexpr (sktwin::kIsShortFloat<PrimT<U>> || sizeof(PrimT<U>) == 4) {
            return detail::CopyToBias(dst, src, params, site);
        }
    }
    if (dst.GetMemory() == sktwin::Memory::kFixpipe) {
        return detail::CopyToFixpipe(dst, src, params, site);
    }
    detail::CopyLocal(dst, src, detail::MoveOf(params), site);
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              sktwin::Site site = sktwin::Site::Here()) {
    const uint32_t unit = sktwin::UnitsInto(dst.GetMemory()).length;
    const auto blocks = static_cast<uint16_t>(sktwin::BytesOf<PrimT<T>>(count) / unit);
    const bool fixpipe = dst.GetMemory() == sktwin::Memory::kFixpipe;
    DataCopy(dst, src, DataCopyParams{1, blocks, static_cast<uint16_t>(fixpipe ? blocks : 0), 0}, site);
}

// The enhanced parameters act only on the move of initial accumulators from L1 to L0C, in fractals of 16 by 16.
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams& enhanced, sktwin::Site site = sktwin::Site::Here()) {
    if (dst.GetMemory() != sktwin::Memory::kL0c || enhanced.blockMode != BlockMode::BLOCK_MODE_MATRIX) {
        return DataCopy(dst, src, params, site);
    }
    constexpr uint64_t kFractal = 256;
    const auto move = sktwin::BlockMove::Gaps(params.blockCount, params.blockLen * kFractal,
                                              params.srcStride * kFractal, params.dstStride * kFractal);
    if (move.Empty()) {
        return;
    }
    const uint8_t* from = sktwin::LocalBytes(src, move.SourceExtent() * sizeof(U), site);
    uint8_t* to = sktwin::LocalBytes(dst, move.DestinationExtent() * 4, site, sktwin::Self(), 1024);
    if (from == nullptr || to == nullptr) {
        return;
    }
    for (uint32_t i = 0; i < move.count; ++i) {
        for (uint64_t j = 0; j < move.length; ++j) {
            U value;
            memcpy(&value, from + (i * move.sourcePitch + j) * sizeof(U), sizeof(U));
            if constexpr (sktwin::kIsShortFloat<U>) {
                const float wide = static_cast<float>(value);
                memcpy(to + (i * move.destinationPitch + j) * 4, &wide, 4);
            } else {
                memcpy(to + (i * move.destinationPitch + j) * 4, &value, 4);
            }
        }
    }
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams&, sktwin::Site site = sktwin::Site::Here()) {
    DataCopy(dst, src, params, site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              const DataCopyEnhancedParams&, sktwin::Site site = sktwin::Site::Here()) {
    DataCopy(dst, src, params, site);
}

#if __NPU_ARCH__ == 3510
// Issued by the cube core; the sub-block selects the vector core whose UB receives the data.
template <typename T, uint8_t subBlockId>
void DataCopyL1ToUB(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                    sktwin::Site site = sktwin::Site::Here()) {
    const auto move = detail::MoveOf(params);
    if (move.Empty() || sktwin::Self().kind != sktwin::CoreKind::kAic) {
        return;
    }
    sktwin::Core& other = sktwin::GroupCore(sktwin::CoreKind::kAiv, subBlockId, site);
    sktwin::MoveLocal(sktwin::LocalBytes(dst, move.DestinationExtent(), site, other),
                      sktwin::LocalBytes(src, move.SourceExtent(), site), move);
}
template <typename T, uint8_t subBlockId>
void DataCopyL1ToUB(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count,
                    sktwin::Site site = sktwin::Site::Here()) {
    const auto blocks = static_cast<uint16_t>(sktwin::BytesOf<T>(count) / ONE_BLK_SIZE);
    DataCopyL1ToUB<T, subBlockId>(dst, src, DataCopyParams{1, blocks, 0, 0}, site);
}
#endif

// Scalar accesses are coherent on the twin, so that cleaning the data cache has nothing to do.
template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const GlobalTensor<T>&) {}
template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const LocalTensor<T>&) {}
template <typename T, CacheLine entireType>
void DataCacheCleanAndInvalid(const GlobalTensor<T>&) {}
template <typename T>
void DataCachePreload(const GlobalTensor<T>&, int64_t) {}

template <typename T>
T ReadGmByPassDCache(T* address, sktwin::Site site = sktwin::Site::Here()) {
    return *reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), false, site));
}
template <typename T>
void WriteGmByPassDCache(T* address, T value, sktwin::Site site = sktwin::Site::Here()) {
    *reinterpret_cast<T*>(sktwin::GlobalAccess(address, sizeof(T), true, site)) = value;
}

template <typename T>
void Fill(GlobalTensor<T>& destination, const uint64_t size, const T value, sktwin::Site site = sktwin::Site::Here()) {
    if (size == 0 || !sktwin::kHasVectorUnit) {
        return;
    }
    uint8_t* bytes = sktwin::GlobalAccess(destination.GetPhyAddr(), size * sizeof(T), true, site);
    for (uint64_t i = 0; i < size; ++i) {
        memcpy(bytes + i * sizeof(T), &value, sizeof(T));
    }
}
template <typename T>
void InitOutput(GlobalTensor<T> destination, uint32_t size, T value = T(0), sktwin::Site site = sktwin::Site::Here()) {
    Fill(destination, size, value, site);
}
template <typename T>
void InitGlobalMemory(GlobalTensor<T>& destination, const uint64_t size, const T value,
                      sktwin::Site site = sktwin::Site::Here()) {
    Fill(destination, size, value, site);
}

}  // namespace AscendC
