// Licensed under the Apache License, Version 2.0.
//
// AscendC::Std mirrors names of the C++ library; NumericLimits gives the limits of the device's types; sizes of the
// memories (ascendc_adv_host.md 10, 10.1).
#pragma once

#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ascendc/types.h"

namespace AscendC {

namespace Std {

using std::add_const_t;
using std::add_pointer_t;
using std::conditional;
using std::conditional_t;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::get;
using std::index_sequence;
using std::integral_constant;
using std::is_array;
using std::is_base_of;
using std::is_const;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_pointer;
using std::is_reference;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::make_index_sequence;
using std::make_tuple;
using std::remove_const_t;
using std::remove_cv_t;
using std::remove_pointer_t;
using std::remove_reference_t;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;

template <typename T>
constexpr const T& max(const T& a, const T& b) {
    return a < b ? b : a;
}
template <typename T>
constexpr const T& min(const T& a, const T& b) {
    return b < a ? b : a;
}

}  // namespace Std

template <bool condition, typename A, typename B>
struct Conditional {
    using type = std::conditional_t<condition, A, B>;
};

template <typename T>
struct NumericLimits {
    static constexpr T Max() { return std::numeric_limits<T>::max(); }
    static constexpr T Min() { return std::numeric_limits<T>::min(); }
    static constexpr T Lowest() { return std::numeric_limits<T>::lowest(); }
    static constexpr T Infinity() { return std::numeric_limits<T>::infinity(); }
    static constexpr T NegativeInfinity() { return -std::numeric_limits<T>::infinity(); }
    static constexpr T QuietNaN() { return std::numeric_limits<T>::quiet_NaN(); }
};
template <>
struct NumericLimits<half> {
    static constexpr half Max() { return half::FromBits(0x7bff); }
    static constexpr half Min() { return half::FromBits(0x0400); }
    static constexpr half Lowest() { return half::FromBits(0xfbff); }
    static constexpr half Infinity() { return half::FromBits(0x7c00); }
    static constexpr half NegativeInfinity() { return half::FromBits(0xfc00); }
    static constexpr half QuietNaN() { return half::FromBits(0x7e00); }
};
template <>
struct NumericLimits<bfloat16_t> {
    static constexpr bfloat16_t Max() { return bfloat16_t::FromBits(0x7f7f); }
    static constexpr bfloat16_t Min() { return bfloat16_t::FromBits(0x0080); }
    static constexpr bfloat16_t Lowest() { return bfloat16_t::FromBits(0xff7f); }
    static constexpr bfloat16_t Infinity() { return bfloat16_t::FromBits(0x7f80); }
    static constexpr bfloat16_t NegativeInfinity() { return bfloat16_t::FromBits(0xff80); }
    static constexpr bfloat16_t QuietNaN() { return bfloat16_t::FromBits(0x7fc0); }
};


#if __NPU_ARCH__ == 3510
template <>
struct NumericLimits<fp8_e4m3fn_t> {
    static constexpr fp8_e4m3fn_t Max() { return fp8_e4m3fn_t::FromBits(0x7e); }
    static constexpr fp8_e4m3fn_t Min() { return fp8_e4m3fn_t::FromBits(0x08); }
    static constexpr fp8_e4m3fn_t Lowest() { return fp8_e4m3fn_t::FromBits(0xfe); }
    static constexpr fp8_e4m3fn_t QuietNaN() { return fp8_e4m3fn_t::FromBits(0x7f); }
};
template <>
struct NumericLimits<fp8_e5m2_t> {
    static constexpr fp8_e5m2_t Max() { return fp8_e5m2_t::FromBits(0x7b); }
    static constexpr fp8_e5m2_t Min() { return fp8_e5m2_t::FromBits(0x04); }
    static constexpr fp8_e5m2_t Lowest() { return fp8_e5m2_t::FromBits(0xfb); }
    static constexpr fp8_e5m2_t Infinity() { return fp8_e5m2_t::FromBits(0x7c); }
    static constexpr fp8_e5m2_t NegativeInfinity() { return fp8_e5m2_t::FromBits(0xfc); }
    static constexpr fp8_e5m2_t QuietNaN() { return fp8_e5m2_t::FromBits(0x7f); }
};
template <>
struct NumericLimits<hifloat8_t> {
    static constexpr hifloat8_t Max() { return hifloat8_t::FromBits(0x6e); }
    static constexpr hifloat8_t Lowest() { return hifloat8_t::FromBits(0xee); }
    static constexpr hifloat8_t Infinity() { return hifloat8_t::FromBits(0x6f); }
    static constexpr hifloat8_t NegativeInfinity() { return hifloat8_t::FromBits(0xef); }
    static constexpr hifloat8_t QuietNaN() { return hifloat8_t::FromBits(0x80); }
};
#endif

}  // namespace AscendC

#if __NPU_ARCH__ == 3510
constexpr uint64_t ASC_UB_SIZE = 248 * 1024;
constexpr uint64_t ASC_L0C_SIZE = 256 * 1024;
constexpr uint64_t ASC_BT_SIZE = 4 * 1024;
namespace AscendC {
constexpr uint32_t GetUBSizeInBytes() { return 248 * 1024; }
constexpr uint32_t GetVecLen() { return 256; }
}  // namespace AscendC
#else
constexpr uint64_t ASC_UB_SIZE = 192 * 1024;
constexpr uint64_t ASC_L0C_SIZE = 128 * 1024;
constexpr uint64_t ASC_BT_SIZE = 1024;
#endif
constexpr uint64_t ASC_L1_SIZE = 512 * 1024;
constexpr uint64_t ASC_L0A_SIZE = 64 * 1024;
constexpr uint64_t ASC_L0B_SIZE = 64 * 1024;

namespace AscendC {
constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = ASC_UB_SIZE;
}  // namespace AscendC
