// Licensed under the Apache License, Version 2.0.
//
// What the element-wise instructions do to one lane (spec ascendc_vector.md 2 and 3).
#pragma once

#include "ascendc/vector_engine.h"

namespace sktwin {

template <typename T>
inline constexpr bool kIsFloat = !std::is_integral_v<T>;

// Integer arithmetic wraps; unsigned avoids undefined overflow, also of the promotion of 16-bit factors.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
constexpr T MaxOf(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return a > b ? a : b;
    } else {
        const float x = a;
        const float y = b;
        // The sum of equal zeros of different sign is +0, and the sum with NaN is NaN.
        const float larger = x > y ? x : y;
        return T(x == y || x != x || y != y ? (x == y && x != 0 ? x : x + y) : larger);
    }
}

template <typename T>
constexpr T MinOf(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return a < b ? a : b;
    } else {
        const float x = a;
        const float y = b;
        const float smaller = x < y ? x : y;
        return T(x == y || x != x || y != y ? (x == y ? (x == 0 ? -(-x - y) : x) : x + y) : smaller);
    }
}

template <typename T>
constexpr T ReluOf(T x) {
    return x > T(0) || IsNan(x) ? x : T(0);
}

template <typename T>
constexpr T AddOf(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return T(a + b);
    } else {
        return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    }
}

template <typename T>
constexpr T SubOf(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return T(a - b);
    } else {
        return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
    }
}

template <typename T>
constexpr T MulOf(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return T(a * b);
    } else {
        return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    }
}

template <typename T>
constexpr T DivOf(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return T(a / b);
    } else {
        // Division by zero is unspecified on the device; the host must not trap.
        return b == T(0)                                        ? T(0)
               : b == static_cast<T>(-1) && std::is_signed_v<T> ? SubOf(T(0), a)
                                                                : static_cast<T>(a / b);
    }
}

// a * b + c: one rounding on the 3510, two on the 2201.
template <typename T>
constexpr T MulAddOf(T a, T b, T c) {
    if constexpr (!kIsFloat<T> || !kChip3510) {
        return AddOf(MulOf(a, b), c);
    } else if constexpr (std::is_same_v<T, float>) {
        return __builtin_fmaf(a, b, c);
    } else {
        return FromDouble<T>(__builtin_fma(double(float(a)), double(float(b)), double(float(c))));
    }
}

struct AbsLane {
    template <typename T>
    T operator()(T x) const {
        if constexpr (std::is_same_v<T, float>) {
            return __builtin_fabsf(x);
        } else if constexpr (kIsShortFloat<T>) {
            return T::FromBits(static_cast<uint16_t>(x.bits & 0x7fffu));
        } else {
            return x < 0 ? SubOf(T(0), x) : x;
        }
    }
};
struct ReluLane {
    template <typename T>
    T operator()(T x) const {
        return ReluOf(x);
    }
};
struct NegLane {
    template <typename T>
    T operator()(T x) const {
        if constexpr (kIsFloat<T>) {
            return -x;
        } else {
            return SubOf(T(0), x);
        }
    }
};
struct ExpLane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(__builtin_exp(double(float(x))));
    }
};
struct LnLane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(__builtin_log(double(float(x))));
    }
};
struct SqrtLane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(__builtin_sqrt(double(float(x))));
    }
};
struct RsqrtLane {
    template <typename T>
    T operator()(T x) const {
        return FromDouble<T>(1.0 / __builtin_sqrt(double(float(x))));
    }
};
struct ReciprocalLane {
    template <typename T>
    T operator()(T x) const {
        if constexpr (kIsFloat<T>) {
            return FromDouble<T>(1.0 / double(float(x)));
        } else {
            return DivOf(T(1), x);
        }
    }
};
struct NotLane {
    template <typename T>
    T operator()(T x) const {
        if constexpr (kIsShortFloat<T>) {
            return T::FromBits(static_cast<uint16_t>(~x.bits));
        } else if constexpr (std::is_same_v<T, float>) {
            return __builtin_bit_cast(float, ~__builtin_bit_cast(uint32_t, x));
        } else {
            return static_cast<T>(~x);
        }
    }
};

struct AddLane {
    template <typename T>
    T operator()(T a, T b) const {
        return AddOf(a, b);
    }
};
struct SubLane {
    template <typename T>
    T operator()(T a, T b) const {
        return SubOf(a, b);
    }
};
struct MulLane {
    template <typename T>
    T operator()(T a, T b) const {
        return MulOf(a, b);
    }
};
struct DivLane {
    template <typename T>
    T operator()(T a, T b) const {
        return DivOf(a, b);
    }
};
struct MaxLane {
    template <typename T>
    T operator()(T a, T b) const {
        return MaxOf(a, b);
    }
};
struct MinLane {
    template <typename T>
    T operator()(T a, T b) const {
        return MinOf(a, b);
    }
};
struct AndLane {
    template <typename T>
    T operator()(T a, T b) const {
        return static_cast<T>(a & b);
    }
};
struct OrLane {
    template <typename T>
    T operator()(T a, T b) const {
        return static_cast<T>(a | b);
    }
};
struct XorLane {
    template <typename T>
    T operator()(T a, T b) const {
        return static_cast<T>(a ^ b);
    }
};
struct AddReluLane {
    template <typename T>
    T operator()(T a, T b) const {
        return ReluOf(AddOf(a, b));
    }
};
struct SubReluLane {
    template <typename T>
    T operator()(T a, T b) const {
        return ReluOf(SubOf(a, b));
    }
};
struct AbsSubLane {
    template <typename T>
    T operator()(T a, T b) const {
        return AbsLane()(SubOf(a, b));
    }
};
// x >= +0 is kept whatever the factor is; -0 takes the product.
struct LeakyReluLane {
    template <typename T>
    T operator()(T x, T slope) const {
        const float value = x;
        const bool keep = value > 0 || (value == 0 && !__builtin_signbit(value));
        return keep ? x : MulOf(x, slope);
    }
};

// A left shift of a signed value keeps the sign bit and shifts the bits below it.
struct ShiftLeftLane {
    template <typename T>
    T operator()(T x, T amount) const {
        using U = std::make_unsigned_t<T>;
        constexpr U kSign = std::is_signed_v<T> ? static_cast<U>(U(1) << (8 * sizeof(T) - 1)) : U(0);
        const auto distance = static_cast<U>(amount);
        const U shifted = distance >= 8 * sizeof(T) ? U(0) : static_cast<U>(static_cast<U>(x) << distance);
        return static_cast<T>((static_cast<U>(x) & kSign) | (shifted & static_cast<U>(~kSign)));
    }
};
struct ShiftRightLane {
    bool round = false;

    template <typename T>
    T operator()(T x, T amount) const {
        const auto distance = static_cast<std::make_unsigned_t<T>>(amount);
        if (distance >= 8 * sizeof(T)) {
            return x < 0 && !round ? static_cast<T>(-1) : T(0);
        }
        const int carry = round && distance > 0 ? static_cast<int>(x >> (distance - 1) & 1) : 0;
        return static_cast<T>((x >> distance) + carry);
    }
};

}  // namespace sktwin
