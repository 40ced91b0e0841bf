// Licensed under the Apache License, Version 2.0.
//
// Reading tiling data in a kernel (ascendc_adv_host.md 12): the macros declare the variable and copy the structure from
// global memory. GET_TILING_DATA takes the structure that REGISTER_TILING_DEFAULT named in the same or an outer scope.
#pragma once

#include <cstring>

#include "ascendc/qualifiers.h"
#include "sktwin/machine.h"

namespace AscendC {

template <typename T>
void CopyTilingData(T& target, const void* source, sktwin::Site site = sktwin::Site::Here()) {
    memcpy(&target, sktwin::GlobalAccess(source, sizeof(T), false, site), sizeof(T));
}

}  // namespace AscendC

#define REGISTER_TILING_DEFAULT(Type) using SktwinDefaultTiling [[maybe_unused]] = Type
#define REGISTER_TILING_FOR_TILINGKEY(expression, Type) static_assert(sizeof(Type) > 0, "")
#define REGISTER_NONE_TILING static_assert(true, "")
#define GET_TILING_DATA_WITH_STRUCT(Type, variable, address) \
    Type variable;                                           \
    ::AscendC::CopyTilingData(variable, address)
#define GET_TILING_DATA(variable, address) GET_TILING_DATA_WITH_STRUCT(SktwinDefaultTiling, variable, address)
#define GET_TILING_DATA_MEMBER(Type, member, variable, address) \
    decltype(Type::member) variable;                            \
    ::AscendC::CopyTilingData(variable, (address) + __builtin_offsetof(Type, member))
#define GET_TILING_DATA_PTR_WITH_STRUCT(Type, pointer, address) \
    const Type* pointer = reinterpret_cast<const Type*>(::sktwin::GlobalAccess(address, sizeof(Type), false))

// Without the key of the compile there is nothing to compare with, and a kernel that asks does not compile.
#ifdef TILING_KEY_VAR
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))
#endif
