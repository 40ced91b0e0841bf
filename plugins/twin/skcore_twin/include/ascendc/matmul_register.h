// Licensed under the Apache License, Version 2.0.
//
// REGIST_MATMUL_OBJ (ascendc_data_cube.md 10.2): numbers the objects of a kernel, hands them their tilings, and turns
// the AIC of a MIX kernel into the server of its AIVs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ascendc/matmul.h"

namespace AscendC {
namespace detail {

// Objects and tilings alternate; an object without a tiling gets it later, from Init.
struct MatmulRegistration {
    sktwin::matmul::Served served[sktwin::matmul::kObjects];
    uint8_t count = 0;
    sktwin::Site site;

    void Add() {}

    template <typename... Rest>
    void Add(std::nullptr_t, Rest&&... rest) {
        Add(rest...);
    }

    template <typename First, typename... Rest>
    void Add(First& first, Rest&&... rest) {
        if constexpr (std::is_pointer_v<std::remove_reference_t<First>>) {
            Add(rest...);
        } else {
            AddObject(first, rest...);
        }
    }

private:
    template <typename Object>
    void AddObject(Object& object) {
        Number(object);
    }

    template <typename Object, typename Next, typename... Rest>
    void AddObject(Object& object, Next&& next, Rest&&... rest) {
        Number(object);
        if constexpr (std::is_pointer_v<std::decay_t<Next>>) {
            object.Init(next, nullptr, site);
        }
        Add(next, rest...);
    }

    template <typename Object>
    void Number(Object& object) {
        if (count == sktwin::matmul::kObjects) {
            sktwin::Fault("matmul-objects", site, "REGIST_MATMUL_OBJ takes at most %u objects",
                          sktwin::matmul::kObjects);
        }
        object.Register(count);
        served[count] = {&object, &Object::RunServed};
        ++count;
    }
};

// True: the calling function returns, because the AIC has served all requests of its group.
template <typename... Args>
bool RegisterMatmul(sktwin::Site site, TPipe*, const void*, Args&&... args) {
    MatmulRegistration registration;
    registration.site = site;
    registration.Add(args...);
#if defined(__DAV_CUBE__) && !defined(ASCENDC_CUBE_ONLY)
    sktwin::matmul::Serve(registration.served, registration.count, site);
    return true;
#else
    return false;
#endif
}

}  // namespace detail
}  // namespace AscendC

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                                \
    do {                                                                                                        \
        if (AscendC::detail::RegisterMatmul(sktwin::Site{__FILE__, __LINE__}, tpipe, workspace, __VA_ARGS__)) { \
            return;                                                                                             \
        }                                                                                                       \
    } while (false)
