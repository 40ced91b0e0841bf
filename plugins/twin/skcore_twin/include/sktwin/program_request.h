// Licensed under the Apache License, Version 2.0.
//
// A launch as a whole program hands it to the runtime.
#pragma once

#include <cstdint>

#include "sktwin/machine.h"

namespace sktwin::program {

// The kernel types of spec device section 1.3.
enum class Type : uint8_t { kAivOnly, kAicOnly, kMixAiv10, kMixAic10, kMixAic11, kMixAic12 };

constexpr bool RunsOn(Type type, CoreKind kind) {
    return kind == CoreKind::kAic ? type != Type::kAivOnly && type != Type::kMixAiv10
                                  : type != Type::kAicOnly && type != Type::kMixAic10;
}

using Start = void (*)(uint64_t);

// One launch: what runs, where it stands in the source, and its arguments, which it owns.
struct Request {
    const char* kernel;
    Site site;
    Type type;
    Start aic;  // nullptr: the type has no such core
    Start aiv;
    int64_t blocks;
    void* stream;  // nullptr: the default one
    void* arguments;
    void (*destroy)(void* arguments);
};
void Enqueue(const Request& request);

}  // namespace sktwin::program
