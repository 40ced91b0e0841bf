// Licensed under the Apache License, Version 2.0.
#include <cmath>
#include <cstring>

#include "errors.h"

namespace sktwin::program {

namespace {

thread_local aclError t_last = ACL_SUCCESS;

std::string& RecentText() {
    static std::string* text = new std::string;
    return *text;
}

}  // namespace

aclError Refuse(aclError code, const std::string& text) {
    t_last = code;
    RecentText() = text;
    return code;
}

}  // namespace sktwin::program

using namespace sktwin::program;

extern "C" {

aclError aclInit(const char*) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    world.finalized = false;
    return world.references++ == 0 ? ACL_SUCCESS
                                   : Refuse(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: it has been called already");
}

aclError aclFinalize() {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (world.finalized) {
        return Refuse(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: it has been called already");
    }
    world.finalized = true;
    world.references = 0;
    return ACL_SUCCESS;
}

aclError aclFinalizeReference(uint64_t* refCount) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (world.references == 0) {
        return Refuse(ACL_ERROR_REPEAT_FINALIZE, "aclFinalizeReference: nothing is initialised");
    }
    world.finalized = --world.references == 0;
    if (refCount != nullptr) {
        *refCount = world.references;
    }
    return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg() { return RecentText().c_str(); }

aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return t_last; }

aclError aclrtGetLastError(aclrtLastErrLevel) {
    const aclError last = t_last;
    t_last = ACL_SUCCESS;
    return last;
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
    if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr) {
        return Refuse(ACL_ERROR_INVALID_PARAM, "aclrtGetVersion: a pointer is null");
    }
    *majorVersion = 1;
    *minorVersion = 0;
    *patchVersion = 0;
    return ACL_SUCCESS;
}

size_t aclDataTypeSize(aclDataType type) {
    switch (type) {
        case ACL_BOOL:
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0:
            return 1;
        case ACL_INT16:
        case ACL_UINT16:
        case ACL_FLOAT16:
        case ACL_BF16:
            return 2;
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_FLOAT:
        case ACL_COMPLEX32:
            return 4;
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_DOUBLE:
        case ACL_COMPLEX64:
            return 8;
        case ACL_COMPLEX128:
            return 16;
        default:
            return 0;
    }
}

float aclFloat16ToFloat(aclFloat16 value) {
    const int exponent = value >> 10 & 0x1F;
    const int mantissa = value & 0x3FF;
    const float sign = (value & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 0x1F) {
        return mantissa != 0 ? NAN : sign * INFINITY;
    }
    constexpr int kBias = 15;
    constexpr int kFraction = 10;
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(mantissa), 1 - kBias - kFraction)
                         : sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - kBias - kFraction);
}

aclFloat16 aclFloatToFloat16(float value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    constexpr uint16_t kInfinity = 0x7C00;
    if (std::isnan(value)) {
        return 0x7E00;
    }
    // Half of the last step above the largest half rounds up to infinity.
    if (size >= 65520.0F) {
        return static_cast<uint16_t>(sign | kInfinity);
    }
    constexpr int kLeastExponent = -14;
    constexpr int kFraction = 10;
    int exponent = size == 0 ? kLeastExponent : std::ilogb(size);
    exponent = exponent < kLeastExponent ? kLeastExponent : exponent;
    // A whole number of last places, to nearest even; a carry into the exponent is what the sum below gives.
    const auto places = static_cast<int>(std::nearbyint(std::ldexp(size, kFraction - exponent)));
    const int biased = exponent - kLeastExponent;
    return static_cast<uint16_t>(sign | ((biased << kFraction) + places));
}

}  // extern "C"
