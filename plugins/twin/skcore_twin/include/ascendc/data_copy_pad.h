// Licensed under the Apache License, Version 2.0.
//
// DataCopyPad (spec ascendc_data_cube.md 6.1 to 6.3): rows of any byte length, padded to whole blocks in local memory.
#pragma once

#include "ascendc/copy_engine.h"
#include "ascendc/loop_mode.h"

namespace AscendC {

namespace detail {

// How one row lies in local memory: [left pad][data][right pad][filler], a multiple of 32 bytes in all.
struct PaddedRow {
    uint64_t left;
    uint64_t data;
    uint64_t right;

    uint64_t Used() const { return left + data + right; }
    uint64_t Width() const { return (Used() + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE; }
};

template <typename T>
void FillElements(uint8_t* to, uint64_t bytes, T value) {
    for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        memcpy(to + i, &value, sizeof(T));
    }
}

// Without isPad the pads take the sticky pad register and the filler repeats the row's first element.
template <typename T>
void StoreRow(uint8_t* to, const uint8_t* from, const PaddedRow& row, const DataCopyPadExtParams<T>& pad) {
    T value = pad.paddingValue;
    T filler = value;
    if (!pad.isPad) {
        memcpy(&value, &sktwin::Self().registers.padValue, sizeof(T));
        memcpy(&filler, from, sizeof(T));
        filler = row.left + row.right == 0 ? filler : value;
    }
    FillElements(to, row.left, value);
    memcpy(to + row.left, from, row.data);
    FillElements(to + row.left + row.data, row.right, value);
    FillElements(to + row.Used(), row.Width() - row.Used(), filler);
}

template <typename T>
void SetPadRegister(const T& value) {
    sktwin::Self().registers.padValue = 0;
    memcpy(&sktwin::Self().registers.padValue, &value, sizeof(T));
}

template <typename T>
void CheckPadParams(const DataCopyExtParams& params, const DataCopyPadExtParams<T>& pad, sktwin::Site site) {
    if (params.blockLen % sizeof(T) != 0) {
        sktwin::Fault("data-copy-parameters", site,
                      "DataCopyPad: blockLen is in bytes and must be a multiple of the element "
                      "size %zu, but is %u",
                      sizeof(T), params.blockLen);
    }
    if (pad.leftPadding * sizeof(T) > ONE_BLK_SIZE || pad.rightPadding * sizeof(T) > ONE_BLK_SIZE) {
        sktwin::Fault("data-copy-parameters", site,
                      "DataCopyPad: at most 32 bytes of padding a side, but %zu and %zu are "
                      "asked for",
                      pad.leftPadding * sizeof(T), pad.rightPadding * sizeof(T));
    }
}

// Rows into local memory, one call of DataCopyPad without the loops around it.
template <PaddingMode mode, typename T>
void PadIn(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
           const DataCopyPadExtParams<T>& pad, sktwin::Site site) {
    constexpr bool kCompact = mode == PaddingMode::Compact;
    const detail::PaddedRow row{kCompact ? 0 : pad.leftPadding * sizeof(T), params.blockLen,
                                kCompact ? 0 : pad.rightPadding * sizeof(T)};
    const int64_t srcPitch = static_cast<int64_t>(params.blockLen) + static_cast<int64_t>(params.srcStride);
    const uint64_t dstPitch =
        kCompact ? params.blockLen : row.Width() + static_cast<uint64_t>(params.dstStride) * ONE_BLK_SIZE;
    uint8_t* to = sktwin::LocalBytes(dst, (params.blockCount - 1) * dstPitch + row.Width(), site);
    if (to == nullptr) {
        return;
    }
    if (pad.isPad) {
        detail::SetPadRegister(pad.paddingValue);
    }
    const auto* from = reinterpret_cast<const uint8_t*>(src.GetPhyAddr());
    for (uint32_t r = 0; r < params.blockCount; ++r) {
        const uint8_t* data =
            sktwin::GlobalAccess(from + static_cast<int64_t>(r) * srcPitch, params.blockLen, false, site);
        if (kCompact && r + 1 < params.blockCount) {
            memcpy(to + r * dstPitch, data, params.blockLen);
        } else if (kCompact) {
            const uint64_t end = r * dstPitch + params.blockLen;
            memcpy(to + r * dstPitch, data, params.blockLen);
            T filler = pad.paddingValue;
            if (!pad.isPad) {
                memcpy(&filler, sktwin::GlobalAccess(from, sizeof(T), false, site), sizeof(T));
            }
            detail::FillElements(to + end, (ONE_BLK_SIZE - end % ONE_BLK_SIZE) % ONE_BLK_SIZE, filler);
        } else {
            detail::StoreRow(to + r * dstPitch, data, row, pad);
        }
    }
}

}  // namespace detail

template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                 const DataCopyPadExtParams<T>& pad, sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sktwin::kChip3510 || mode == PaddingMode::Normal,
                  "DataCopyPad: dav-2201 has no compact padding mode");
    if (params.blockCount == 0 || params.blockLen == 0) {
        return;
    }
    detail::CheckPadParams(params, pad, site);
    const sktwin::Memory memory = dst.GetMemory();
    const bool toL1 = memory == sktwin::Memory::kL1 && sktwin::kChip3510;
    sktwin::CheckPath(memory == sktwin::Memory::kUb || toL1, "DataCopyPad", memory, site);
    detail::ForEachLoop(DataCopyMVType::OUT_TO_UB, dst, src,
                        [&](const LocalTensor<T>& to, const GlobalTensor<T>& from) {
                            detail::PadIn<mode>(to, from, params, pad, site);
                        });
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
                 sktwin::Site site = sktwin::Site::Here()) {
    static_assert(sktwin::kChip3510 || mode == PaddingMode::Normal,
                  "DataCopyPad: dav-2201 has no compact padding mode");
    if (params.blockCount == 0 || params.blockLen == 0) {
        return;
    }
    const uint64_t width = (uint64_t(params.blockLen) + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    const uint64_t srcPitch =
        mode == PaddingMode::Compact ? params.blockLen : width + static_cast<uint64_t>(params.srcStride) * ONE_BLK_SIZE;
    const sktwin::BlockMove move{params.blockCount, params.blockLen, srcPitch,
                                 params.blockLen + static_cast<uint64_t>(params.dstStride)};
    detail::ForEachLoop(DataCopyMVType::UB_TO_OUT, src, dst,
                        [&](const LocalTensor<T>& from, const GlobalTensor<T>& to) {
                            if (const uint8_t* bytes = sktwin::LocalBytes(from, move.SourceExtent(), site)) {
                                sktwin::MoveOut(to.GetPhyAddr(), bytes, move, site);
                            }
                        });
}

template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                 const DataCopyPadParams& pad, sktwin::Site site = sktwin::Site::Here()) {
    T value;
    memcpy(&value, &pad.paddingValue, sizeof(T));
    DataCopyPad(dst, src, DataCopyExtParams{params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0},
                DataCopyPadExtParams<T>{pad.isPad, pad.leftPadding, pad.rightPadding, value}, site);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                 sktwin::Site site = sktwin::Site::Here()) {
    DataCopyPad(dst, src, DataCopyExtParams{params.blockCount, params.blockLen, params.srcStride, params.dstStride, 0},
                site);
}

template <typename T, TPosition position = TPosition::MAX>
void SetPadValue(T value) {
    detail::SetPadRegister(value);
}

}  // namespace AscendC
