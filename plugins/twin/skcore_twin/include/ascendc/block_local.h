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

inline void NoteBlockLocalWrite(BlockLocalName name) {
    Self().blockLocalsWritten |= 1U << static_cast<int>(name);
}

// On a device such a variable holds anything until it is written (spec device section 7.5). A kernel alone is built
// without them.
inline void RequireBlockLocal(BlockLocalName name, Site site) {
    constexpr const char* kNames[] = {"g_super_kernel_early_start_config",    "g_super_kernel_dynamic_block_num",
                                      "g_superKernelAutoSyncAllEnable",       "g_superKernelAutoSyncAllSyncIdx",
                                      "g_superKernelAutoSyncAllConfigGmAddr", "g_superKernelAutoSyncAllConfigGmBaseAddr"};
    const Core& core = Self();
    if (core.superKernel && (core.blockLocalsWritten >> static_cast<int>(name) & 1) == 0) {
        Fault("block-local-unset", site,
              "the block-local variable %s is read, which nobody has written on this core since the SuperKernel began "
              "or, if it is set for each call, since the last call: write it before",
              kNames[static_cast<int>(name)]);
    }
}

template <auto Member, BlockLocalName Name>
struct BlockLocal {
    using Value = std::remove_reference_t<decltype(BlockLocals{}.*Member)>;

    Value Read(Site site) const {
        RequireBlockLocal(Name, site);
        return Self().blockLocal.*Member;
    }
    operator Value() const { return Read({nullptr, 0}); }
    const BlockLocal& operator=(Value value) const {
        Self().blockLocal.*Member = value;
        NoteBlockLocalWrite(Name);
        return *this;
    }
};

// An address that reads as GM_ADDR and takes a pointer or a number.
template <uint64_t BlockLocals::*Member, BlockLocalName Name>
struct BlockLocalAddress {
    uint64_t Read(Site site) const {
        RequireBlockLocal(Name, site);
        return Self().blockLocal.*Member;
    }
    operator GM_ADDR() const { return reinterpret_cast<GM_ADDR>(Read({nullptr, 0})); }
    explicit operator uint64_t() const { return Read({nullptr, 0}); }
    const BlockLocalAddress& operator=(const volatile void* address) const {
        return *this = reinterpret_cast<uint64_t>(address);
    }
    const BlockLocalAddress& operator=(uint64_t address) const {
        Self().blockLocal.*Member = address;
        NoteBlockLocalWrite(Name);
        return *this;
    }
    const BlockLocalAddress& operator=(const BlockLocalAddress& other) const {
        return *this = static_cast<GM_ADDR>(other);
    }
    template <uint64_t BlockLocals::*Other, BlockLocalName OtherName>
    const BlockLocalAddress& operator=(const BlockLocalAddress<Other, OtherName>& other) const {
        return *this = static_cast<GM_ADDR>(other);
    }
};

}  // namespace sktwin

constexpr sktwin::BlockLocal<&sktwin::BlockLocals::earlyStartConfig, sktwin::BlockLocalName::kEarlyStartConfig>
    g_super_kernel_early_start_config{};
constexpr sktwin::BlockLocal<&sktwin::BlockLocals::dynamicBlockNum, sktwin::BlockLocalName::kDynamicBlockNum>
    g_super_kernel_dynamic_block_num{};

namespace AscendC {

constexpr sktwin::BlockLocal<&sktwin::BlockLocals::autoSyncAllIndex, sktwin::BlockLocalName::kAutoSyncAllIndex>
    g_superKernelAutoSyncAllSyncIdx{};
constexpr sktwin::BlockLocal<&sktwin::BlockLocals::autoSyncAllEnable, sktwin::BlockLocalName::kAutoSyncAllEnable>
    g_superKernelAutoSyncAllEnable{};
constexpr sktwin::BlockLocalAddress<&sktwin::BlockLocals::autoSyncAllConfig,
                                    sktwin::BlockLocalName::kAutoSyncAllConfig>
    g_superKernelAutoSyncAllConfigGmAddr{};
constexpr sktwin::BlockLocalAddress<&sktwin::BlockLocals::autoSyncAllConfigBase,
                                    sktwin::BlockLocalName::kAutoSyncAllConfigBase>
    g_superKernelAutoSyncAllConfigGmBaseAddr{};

}  // namespace AscendC
