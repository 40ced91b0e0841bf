// Licensed under the Apache License, Version 2.0.
//
// What the programs of these tests share.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"

#define CHECK(call)                                                                  \
    do {                                                                             \
        const aclError error = (call);                                               \
        if (error != ACL_SUCCESS) {                                                  \
            std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, error); \
            std::exit(2);                                                            \
        }                                                                            \
    } while (0)

template <typename T>
T* DeviceArray(size_t count) {
    void* made = nullptr;
    CHECK(aclrtMalloc(&made, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST));
    return static_cast<T*>(made);
}

template <typename T>
T* HostArray(size_t count) {
    void* made = nullptr;
    CHECK(aclrtMallocHost(&made, count * sizeof(T)));
    return static_cast<T*>(made);
}
