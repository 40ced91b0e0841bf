// Licensed under the Apache License, Version 2.0.
//
// What the translated source of a whole program stands on: launches, and the entries of the kernels that they start.
//
// A source is compiled once for the host and once for each core kind that its kernels run on. A launch of `kernel`
// refers to aic::Entry<kernel> and aiv::Entry<kernel>; only the object of that kind defines it, so the linker brings
// the three together. Templates are instantiated by the launches, which every object sees.
#pragma once

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>

#include "ascendc/qualifiers.h"
#include "sktwin/entry.h"
#include "sktwin/machine.h"
#include "sktwin/program_request.h"
#include "sktwin/program_target.h"

namespace sktwin::program {

template <typename Function>
struct Parameters;
template <typename... P>
struct Parameters<void (*)(P...)> {
    static_assert(((std::is_trivially_copyable_v<P> && !std::is_reference_v<P>)&&...),
                  "a kernel takes pointers, numbers and plain structures, by value");
    using Values = std::tuple<std::remove_cv_t<P>...>;
};

#ifndef SKTWIN_HOST
template <auto function>
void CallOnCore() {
    using Values = typename Parameters<decltype(function)>::Values;
    KernelScope scope(Self().kernel, kNoArgument, ThisBuild());
    std::apply(function, *reinterpret_cast<const Values*>(Self().paraBase));
}
#endif

namespace aic {
template <auto function>
struct Entry {
#if !defined(SKTWIN_HOST) && defined(__DAV_CUBE__)
    __attribute__((used)) static void Run(uint64_t) { CallOnCore<function>(); }
#else
    static void Run(uint64_t);
#endif
};
}  // namespace aic

namespace aiv {
template <auto function>
struct Entry {
#if !defined(SKTWIN_HOST) && defined(__DAV_VEC__)
    __attribute__((used)) static void Run(uint64_t) { CallOnCore<function>(); }
#else
    static void Run(uint64_t);
#endif
};
}  // namespace aiv

// `kernel<<<...>>>` before its arguments: a call with them puts the launch into its stream.
template <Type type, auto function, typename Function = decltype(function)>
class Launcher;
template <Type type, auto function, typename... P>
class Launcher<type, function, void (*)(P...)> {
public:
    Launcher(const char* kernel, Site site, int64_t blocks, void* stream)
        : request_{kernel, site, type, nullptr, nullptr, blocks, stream, nullptr, nullptr} {
        if constexpr (RunsOn(type, CoreKind::kAic)) {
            request_.aic = &aic::Entry<function>::Run;
        }
        if constexpr (RunsOn(type, CoreKind::kAiv)) {
            request_.aiv = &aiv::Entry<function>::Run;
        }
    }
    void operator()(P... values) {
        using Values = typename Parameters<void (*)(P...)>::Values;
        request_.arguments = new Values(values...);
        request_.destroy = [](void* arguments) { delete static_cast<Values*>(arguments); };
        Enqueue(request_);
    }

private:
    Request request_;
};

// The second value of a launch asks for room in the unified buffer, or is a null pointer in older code.
template <Type type, auto function, typename Reserved>
Launcher<type, function> Configure(const char* kernel, Site site, int64_t blocks, Reserved, void* stream = nullptr) {
    static_assert(std::is_integral_v<Reserved> || std::is_null_pointer_v<Reserved>,
                  "the second of <<<blocks, bytes, stream>>> is a number of bytes, or nullptr");
    return {kernel, site, blocks, stream};
}

// <<<grid, block, bytes, stream>>>.
template <Type type, auto function, typename Grid, typename Block>
Launcher<type, function> Configure(const char*, Site, Grid, Block, uint32_t, void*) {
    static_assert(sizeof(Grid) == 0, "the twin has no launches of threads: <<<blocks, bytes, stream>>> has three values");
}

}  // namespace sktwin::program
