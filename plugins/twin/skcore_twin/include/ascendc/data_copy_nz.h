// Licensed under the Apache License, Version 2.0.
//
// Moves that change between row-major and fractal layout, and slices (spec ascendc_data_cube.md 5.7 to 5.11).
#pragma once

#include "ascendc/copy_engine.h"

namespace AscendC {

namespace detail {

// UB to L1: the L1 belongs to the cube core of the group.
template <typename T, typename U>
void CopyToGroupL1(const LocalTensor<T>& dst, const LocalTensor<U>& src, const sktwin::BlockMove& move,
                   sktwin::Site site) {
    if (const uint8_t* from = sktwin::LocalBytes(src, move.SourceExtent(), site)) {
        sktwin::Core& cube = sktwin::GroupCore(sktwin::CoreKind::kAic, 0, site);
        sktwin::MoveLocal(sktwin::LocalBytes(dst, move.DestinationExtent(), site, cube), from, move);
    }
}

// Bytes of the destination up to the end of the last block that one matrix writes.
template <typename T>
uint64_t NzExtent(const Nd2NzParams& p) {
    const uint64_t columns = (sktwin::BytesOf<T>(p.dValue) + 31) / 32;
    return ((columns - 1) * p.dstNzC0Stride + uint64_t(p.nValue - 1) * p.dstNzNStride + 1) * 32 +
           uint64_t(p.ndNum - 1) * p.dstNzMatrixStride * sizeof(T);
}

// One source row of `bytes` bytes to its column blocks; the end of the last block is zero.
inline void ScatterRow(uint8_t* to, const uint8_t* row, uint64_t bytes, uint64_t blockPitch) {
    for (uint64_t start = 0; start < bytes; start += 32, to += blockPitch) {
        const uint64_t part = bytes - start < 32 ? bytes - start : 32;
        memcpy(to, row + start, part);
        memset(to + part, 0, 32 - part);
    }
}

}  // namespace detail

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& p,
              sktwin::Site site = sktwin::Site::Here()) {
    if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) {
        return;
    }
    uint8_t* to = sktwin::LocalBytes(dst, detail::NzExtent<T>(p), site);
    if (to == nullptr) {
        return;
    }
    const uint64_t rowBytes = sktwin::BytesOf<T>(p.dValue);
    for (uint64_t i = 0; i < p.ndNum; ++i) {
        for (uint64_t n = 0; n < p.nValue; ++n) {
            const auto* row =
                sktwin::GlobalAccess(src.GetPhyAddr(i * p.srcNdMatrixStride + n * p.srcDValue), rowBytes, false, site);
            uint8_t* start = to + i * p.dstNzMatrixStride * sizeof(T) + n * p.dstNzNStride * 32;
            detail::ScatterRow(start, row, rowBytes, uint64_t(p.dstNzC0Stride) * 32);
        }
    }
}

#if __NPU_ARCH__ == 3510
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& p,
              sktwin::Site site = sktwin::Site::Here()) {
    if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) {
        return;
    }
    if (p.ndNum != 1) {
        sktwin::Fault("data-copy-parameters", site, "DataCopy from UB to L1 with Nd2NzParams takes ndNum 1, not %u",
                      p.ndNum);
    }
    const uint64_t rowBytes = sktwin::BytesOf<T>(p.dValue);
    const uint8_t* from = sktwin::LocalBytes(src, (p.nValue - 1) * p.srcDValue * sizeof(T) + rowBytes, site);
    if (from == nullptr) {
        return;
    }
    sktwin::Core& cube = sktwin::GroupCore(sktwin::CoreKind::kAic, 0, site);
    uint8_t* to = sktwin::LocalBytes(dst, detail::NzExtent<T>(p), site, cube);
    for (uint64_t n = 0; n < p.nValue; ++n) {
        detail::ScatterRow(to + n * p.dstNzNStride * 32, from + n * p.srcDValue * sizeof(T), rowBytes,
                           uint64_t(p.dstNzC0Stride) * 32);
    }
}

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Dn2NzParams& p,
              sktwin::Site site = sktwin::Site::Here()) {
    if (p.dnNum == 0 || p.nValue == 0 || p.dValue == 0) {
        return;
    }
    const Nd2NzParams shape(p.dnNum, p.nValue, p.dValue, 0, 0, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride);
    uint8_t* to = sktwin::LocalBytes(dst, detail::NzExtent<T>(shape), site);
    if (to == nullptr) {
        return;
    }
    constexpr uint64_t kC0 = 32 / sizeof(T);
    for (uint64_t i = 0; i < p.dnNum; ++i) {
        uint8_t* matrix = to + i * p.dstNzMatrixStride * sizeof(T);
        const uint64_t padded = (p.dValue + kC0 - 1) / kC0 * kC0;
        for (uint64_t d = 0; d < padded; ++d) {
            const T* column = d < p.dValue ? src.GetPhyAddr(i * p.srcDnMatrixStride + d * p.srcDValue) : nullptr;
            const uint8_t* from =
                column == nullptr ? nullptr : sktwin::GlobalAccess(column, p.nValue * sizeof(T), false, site);
            for (uint64_t n = 0; n < p.nValue; ++n) {
                uint8_t* cell = matrix + (d / kC0 * p.dstNzC0Stride + n * p.dstNzNStride) * 32 + d % kC0 * sizeof(T);
                from == nullptr ? memset(cell, 0, sizeof(T)) : memcpy(cell, from + n * sizeof(T), sizeof(T));
            }
        }
    }
}
#endif

template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& p,
              sktwin::Site site = sktwin::Site::Here()) {
    if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) {
        return;
    }
    const uint64_t last = (p.ndNum - 1) * p.srcNdMatrixStride * 256ull + (p.dValue - 1) / 16 * p.srcNStride * 16ull +
                          (p.nValue - 1) * 16ull + (p.dValue - 1) % 16;
    const uint8_t* from = sktwin::LocalBytes(src, (last + 1) * sizeof(T), site);
    if (from == nullptr) {
        return;
    }
    for (uint64_t i = 0; i < p.ndNum; ++i) {
        for (uint64_t n = 0; n < p.nValue; ++n) {
            for (uint64_t d = 0; d < p.dValue; d += 16) {
                const uint64_t index = i * p.srcNdMatrixStride * 256 + d / 16 * p.srcNStride * 16 + n * 16;
                const uint64_t part = p.dValue - d < 16 ? p.dValue - d : 16;
                sktwin::StoreGlobal(dst.GetPhyAddr(i * p.dstNdMatrixStride + n * p.dstDStride + d),
                                    from + index * sizeof(T), part * sizeof(T), site);
            }
        }
    }
}

namespace detail {

// Walks the runs that a slice selects, innermost dimension first.
class RunCursor {
public:
    RunCursor(const SliceInfo info[], const ShapeInfo& shape, uint32_t dims, uint32_t burst)
        : info_(info), shape_(shape), dims_(dims < K_MAX_DIM ? dims : K_MAX_DIM), burst_(burst) {
        for (uint32_t d = 0; d < dims_; ++d) {
            index_[d] = info[d].startIndex;
        }
    }
    bool Done() const { return done_; }
    // Elements from the start of the tensor.
    uint64_t Offset() const {
        uint64_t offset = 0;
        uint64_t pitch = 1;
        for (uint32_t d = 0; d < dims_; ++d) {
            offset += index_[d] * pitch;
            pitch *= info_[d].shapeValue != 0 ? info_[d].shapeValue : shape_.shape[shape_.shapeDim - 1 - d];
        }
        return offset;
    }
    void Next() {
        for (uint32_t d = 0; d < dims_; ++d) {
            index_[d] += (d == 0 ? burst_ : 1) + info_[d].stride;
            if (index_[d] <= info_[d].endIndex) {
                return;
            }
            index_[d] = info_[d].startIndex;
        }
        done_ = true;
    }

private:
    const SliceInfo* info_;
    const ShapeInfo shape_;
    uint32_t dims_;
    uint32_t burst_;
    uint32_t index_[K_MAX_DIM] = {};
    bool done_ = false;
};

}  // namespace detail

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSlice[],
              const SliceInfo srcSlice[], const uint32_t dimValue = 1, sktwin::Site site = sktwin::Site::Here()) {
    const uint32_t bytes = srcSlice[0].burstLen * ONE_BLK_SIZE;
    const uint32_t burst = bytes / sizeof(T);
    detail::RunCursor from(srcSlice, src.GetShapeInfo(), dimValue, burst);
    detail::RunCursor to(dstSlice, dst.GetShapeInfo(), dimValue, burst);
    for (; !from.Done() && !to.Done(); from.Next(), to.Next()) {
        if (uint8_t* local = sktwin::LocalBytes(dst[static_cast<uint32_t>(to.Offset())], bytes, site)) {
            memcpy(local, sktwin::GlobalAccess(src.GetPhyAddr(from.Offset()), bytes, false, site), bytes);
        }
    }
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSlice[],
              const SliceInfo srcSlice[], const uint32_t dimValue = 1, sktwin::Site site = sktwin::Site::Here()) {
    const uint32_t bytes = srcSlice[0].burstLen * ONE_BLK_SIZE;
    const uint32_t burst = bytes / sizeof(T);
    detail::RunCursor from(srcSlice, src.GetShapeInfo(), dimValue, burst);
    detail::RunCursor to(dstSlice, dst.GetShapeInfo(), dimValue, burst);
    for (; !from.Done() && !to.Done(); from.Next(), to.Next()) {
        if (const uint8_t* local = sktwin::LocalBytes(src[static_cast<uint32_t>(from.Offset())], bytes, site)) {
            sktwin::StoreGlobal(dst.GetPhyAddr(to.Offset()), local, bytes, site);
        }
    }
}

}  // namespace AscendC
