// Licensed under the Apache License, Version 2.0.
//
// Shapes, strides and layouts as values (ascendc_adv_host.md 8.4): tuples of the sizes and distances of the axes.
#pragma once

#include "ascendc/std_names.h"

namespace AscendC {

template <typename... Sizes>
using Shape = Std::tuple<Sizes...>;
template <typename... Distances>
using Stride = Std::tuple<Distances...>;

template <typename ShapeType, typename StrideType>
struct Layout {
    constexpr Layout() = default;
    constexpr Layout(const ShapeType& shapeOfAxes, const StrideType& strideOfAxes)
        : shape(shapeOfAxes), stride(strideOfAxes) {}
    constexpr const ShapeType& GetShape() const { return shape; }
    constexpr const StrideType& GetStride() const { return stride; }

    ShapeType shape;
    StrideType stride;
};

template <typename... Sizes>
constexpr Shape<Sizes...> MakeShape(const Sizes&... sizes) {
    return {sizes...};
}
template <typename... Distances>
constexpr Stride<Distances...> MakeStride(const Distances&... distances) {
    return {distances...};
}
template <typename ShapeType, typename StrideType>
constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType& shape, const StrideType& stride) {
    return {shape, stride};
}

}  // namespace AscendC
