// Licensed under the Apache License, Version 2.0.
//
// Shapes as the tiling functions of operators see them: as given, and as stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace gert {

class Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() = default;
    Shape(std::initializer_list<int64_t> dims) {
        for (const int64_t dim : dims) {
            AppendDim(dim);
        }
    }
    size_t GetDimNum() const { return num_; }
    void SetDimNum(size_t num) { num_ = num < kMaxDimNum ? num : kMaxDimNum; }
    int64_t GetDim(size_t index) const { return index < num_ ? dims_[index] : kInvalidDimValue; }
    int64_t operator[](size_t index) const { return GetDim(index); }
    int64_t& operator[](size_t index) { return dims_[index]; }
    void SetDim(size_t index, int64_t value) {
        if (index < kMaxDimNum) {
            dims_[index] = value;
        }
    }
    Shape& AppendDim(int64_t value) {
        if (num_ < kMaxDimNum) {
            dims_[num_++] = value;
        }
        return *this;
    }
    // Elements; 1 for a scalar.
    int64_t GetShapeSize() const {
        int64_t size = 1;
        for (size_t i = 0; i < num_; ++i) {
            size *= dims_[i];
        }
        return size;
    }
    bool IsScalar() const { return num_ == 0; }
    bool operator==(const Shape& other) const {
        bool equal = num_ == other.num_;
        for (size_t i = 0; equal && i < num_; ++i) {
            equal = dims_[i] == other.dims_[i];
        }
        return equal;
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }

private:
    size_t num_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

class StorageShape {
public:
    StorageShape() = default;
    StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
        : origin_(origin), storage_(storage) {}
    const Shape& GetOriginShape() const { return origin_; }
    const Shape& GetStorageShape() const { return storage_; }
    Shape& MutableOriginShape() { return origin_; }
    Shape& MutableStorageShape() { return storage_; }

private:
    Shape origin_;
    Shape storage_;
};

}  // namespace gert
