// Licensed under the Apache License, Version 2.0.
//
// The block-local variables that a SuperKernel and its sub-kernels share. Each object compiles its own copy of the
// headers and is localised, so the names here only stand for the one variable a core that the runtime keeps.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/qualifiers.h"
#include "sktwin/machine.h"

namespace sktwin {

template <auto Member>
struct BlockLocal {
    using Value = std::remove_reference_t<decltype(BlockLocals{}.*Member)>;

    operator Value() const { return Self().blockLocal.*Member; }
    const BlockLocal& operator=(Value value) const {
        Self().blockLocal.*Member = value;
        return *this;
    }
};

// An address that reads as GM_ADDR and takes a pointer or a number.
template <uint64_t BlockLocals::*Member>
struct BlockLocalAddress {
    operator GM_ADDR() const { return reinterpret_cast<GM_ADDR>(Self().blockLocal.*Member); }
    explicit operator uint64_t() const { return Self().blockLocal.*Member; }
    const BlockLocalAddress& operator=(const volatile void* address) const {
        Self().blockLocal.*Member = reinterpret_cast<uint64_t>(address);
        return *this;
    }
    const BlockLocalAddress& operator=(uint64_t address) const {
        Self().blockLocal.*Member = address;
        return *this;
    }
    const BlockLocalAddress& operator=(const BlockLocalAddress& other) const {
        return *this = static_cast<GM_ADDR>(other);
    }
    template <uint64_t BlockLocals::*Other>
    const BlockLocalAddress& operator=(const BlockLocalAddress<Other>& other) const {
        return *this = static_cast<GM_ADDR>(other);
    }
};

}  // namespace sktwin

constexpr sktwin::BlockLocal<&sktwin::BlockLocals::earlyStartConfig> g_super_kernel_early_start_config{};
constexpr sktwin::BlockLocal<&sktwin::BlockLocals::dynamicBlockNum> g_super_kernel_dynamic_block_num{};

namespace AscendC {

constexpr sktwin::BlockLocal<&sktwin::BlockLocals::autoSyncAllIndex> g_superKernelAutoSyncAllSyncIdx{};
constexpr sktwin::BlockLocal<&sktwin::BlockLocals::autoSyncAllEnable> g_superKernelAutoSyncAllEnable{};
constexpr sktwin::BlockLocalAddress<&sktwin::BlockLocals::autoSyncAllConfig> g_superKernelAutoSyncAllConfigGmAddr{};
constexpr sktwin::BlockLocalAddress<&sktwin::BlockLocals::autoSyncAllConfigBase>
    g_superKernelAutoSyncAllConfigGmBaseAddr{};

}  // namespace AscendC
