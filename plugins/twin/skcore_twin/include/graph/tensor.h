// Licensed under the Apache License, Version 2.0.
//
// The shape of a tensor as host code passes it (ascendc_adv_host.md 0.12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "graph/types.h"

namespace ge {

class Shape {
public:
    Shape() = default;
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
    Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}

    const std::vector<int64_t>& GetDims() const { return dims_; }
    size_t GetDimNum() const { return dims_.size(); }
    // 0 for an axis that there is not.
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    void SetDim(size_t index, int64_t value) {
        if (index < dims_.size()) {
            dims_[index] = value;
        }
    }
    // Elements; 0 without axes.
    int64_t GetShapeSize() const {
        int64_t size = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }
    bool operator==(const Shape& other) const { return dims_ == other.dims_; }
    bool operator!=(const Shape& other) const { return !(*this == other); }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge
