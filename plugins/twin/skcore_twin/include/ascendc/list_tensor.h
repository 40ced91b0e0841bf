// Licensed under the Apache License, Version 2.0.
//
// Lists of tensors in global memory, as operators with a dynamic number of inputs get them. Words of 64 bits: how many
// bytes after the start the addresses begin; of each tensor its number of axes (low half) and its index (high half),
// then its axes; the addresses.
#pragma once

#include "ascendc/tensor.h"

namespace AscendC {

template <typename T>
class TensorDesc {
public:
    using Site = sktwin::Site;

    // Where GetDesc puts the axes: room of the kernel's own.
    void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
    uint64_t GetDim() const { return dim_; }
    uint64_t GetIndex() const { return index_; }
    uint64_t GetShape(uint32_t offset, Site site = Site::Here()) const {
        if (offset >= dim_ || shape_ == nullptr) {
            sktwin::Fault("tensor-list", site, "GetShape(%u) of a tensor with %llu axes%s", offset,
                          static_cast<unsigned long long>(dim_),
                          shape_ == nullptr ? "; call SetShapeAddr before GetDesc" : "");
        }
        return shape_[offset];
    }
    T* GetDataPtr() const { return data_; }
    GlobalTensor<T> GetDataObj() const {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_);
        return tensor;
    }

private:
    friend class ListTensorDesc;

    uint64_t* shape_ = nullptr;
    uint64_t dim_ = 0;
    uint64_t index_ = 0;
    T* data_ = nullptr;
};

class ListTensorDesc {
public:
    using Site = sktwin::Site;

    ListTensorDesc() = default;
    ListTensorDesc(void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
        Init(data, length, shapeSize);
    }
    void Init(void* data, uint32_t length = 0xffffffff, uint32_t = 0xffffffff) {
        words_ = static_cast<const uint64_t*>(data);
        length_ = length;
    }

    uint32_t GetSize(Site site = Site::Here()) const {
        uint32_t size = 0;
        for (uint64_t at = 1; at < Addresses(site); at += 1 + Dim(at, site)) {
            ++size;
        }
        return size;
    }
    template <typename T>
    T* GetDataPtr(uint32_t index, Site site = Site::Here()) const {
        Find(index, site);
        return reinterpret_cast<T*>(Word(Addresses(site) + index, site));
    }
    template <typename T>
    void GetDesc(TensorDesc<T>& desc, uint32_t index, Site site = Site::Here()) const {
        const uint64_t at = Find(index, site);
        desc.dim_ = Dim(at, site);
        desc.index_ = Word(at, site) >> 32;
        desc.data_ = GetDataPtr<T>(index, site);
        for (uint64_t axis = 0; desc.shape_ != nullptr && axis < desc.dim_; ++axis) {
            desc.shape_[axis] = Word(at + 1 + axis, site);
        }
    }

private:
    uint64_t Word(uint64_t at, Site site) const {
        if (words_ == nullptr || (at + 1) * sizeof(uint64_t) > length_) {
            sktwin::Fault("tensor-list", site, "ListTensorDesc: word %llu of a list of %u bytes%s",
                          static_cast<unsigned long long>(at), length_, words_ == nullptr ? "; call Init before" : "");
        }
        return *reinterpret_cast<const uint64_t*>(sktwin::GlobalAccess(words_ + at, sizeof(uint64_t), false, site));
    }
    uint64_t Addresses(Site site) const { return Word(0, site) / sizeof(uint64_t); }
    uint64_t Dim(uint64_t at, Site site) const { return Word(at, site) & 0xffffffff; }
    // The first word of a tensor.
    uint64_t Find(uint32_t index, Site site) const {
        uint64_t at = 1;
        const uint64_t end = Addresses(site);
        for (uint32_t left = index; left != 0 && at < end; --left) {
            at += 1 + Dim(at, site);
        }
        if (at >= end) {
            sktwin::Fault("tensor-list", site, "ListTensorDesc: there is no tensor %u; the list has %u", index,
                          GetSize(site));
        }
        return at;
    }

    const uint64_t* words_ = nullptr;
    uint32_t length_ = 0;
};

}  // namespace AscendC
