// Licensed under the Apache License, Version 2.0.
//
// Device-side printf, DumpTensor and assertions (spec ascendc_adv_host.md 9). <cstdio> stays out: its printf would win
// the overload for a call without arguments.
#pragma once

#ifdef SKTWIN_HOST
#include <cassert>
#include <cstdio>
#endif
#include <cstdint>

#include "ascendc/system.h"
#include "ascendc/tensor.h"
#include "sktwin/machine.h"

#ifndef ASCENDC_DUMP
#define ASCENDC_DUMP 1
#endif

namespace sktwin {

// Text in a buffer of fixed size: what does not fit is dropped, as on the device.
class TextBuffer {
public:
    __attribute__((format(printf, 2, 3))) void Append(const char* format, ...) {
        __builtin_va_list arguments;
        __builtin_va_start(arguments, format);
        const int written = __builtin_vsnprintf(text_ + length_, kSize - length_, format, arguments);
        __builtin_va_end(arguments);
        length_ = written < 0                                         ? length_
                  : length_ + static_cast<uint32_t>(written) >= kSize ? kSize - 1
                                                                      : length_ + static_cast<uint32_t>(written);
    }
    const char* Text() const { return text_; }
    bool NearlyFull() const { return length_ + 64 >= kSize; }
    void Clear() {
        length_ = 0;
        text_[0] = '\0';
    }

private:
    static constexpr uint32_t kSize = 2048;
    char text_[kSize] = {};
    uint32_t length_ = 0;
};

inline void AppendCore(TextBuffer& text) {
    const int64_t blocks = static_cast<int64_t>(Self().blockNum) * AscendC::GetTaskRatio();
    text.Append("[%s Block %lld/%lld] ", Self().kind == CoreKind::kAic ? "AIC" : "AIV",
                static_cast<long long>(AscendC::GetBlockIdx()), static_cast<long long>(blocks));
}

// printf takes 16-bit floats as doubles.
template <typename T>
auto PrintArgument(T value) {
    if constexpr (kIsShortFloat<T>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return value;
    }
}

template <typename... A>
void DevicePrint(const char* format, A... arguments) {
    TextBuffer text;
    AppendCore(text);
    char body[1536];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    __builtin_snprintf(body, sizeof(body), format, PrintArgument(arguments)...);
#pragma GCC diagnostic pop
    text.Append("%s", body);
    Print(text.Text());
}

template <typename T>
constexpr const char* TypeName() {
    if constexpr (kIsShortFloat<T>) {
        return std::is_same_v<T, half> ? "float16" : "bfloat16";
    } else if constexpr (kIsSmallFloat<T>) {
        return T::FormatType::kName;
    } else if constexpr (std::is_floating_point_v<T>) {
        return "float32";
    } else if constexpr (std::is_same_v<T, bool>) {
        return "bool";
    } else if constexpr (sizeof(T) == 1) {
        return std::is_signed_v<T> ? "int8" : "uint8";
    } else if constexpr (sizeof(T) == 2) {
        return std::is_signed_v<T> ? "int16" : "uint16";
    } else if constexpr (sizeof(T) == 4) {
        return std::is_signed_v<T> ? "int32" : "uint32";
    } else {
        return std::is_signed_v<T> ? "int64" : "uint64";
    }
}

template <typename T>
void AppendElement(TextBuffer& text, T value) {
    if constexpr (kIsShortFloat<T> || kIsSmallFloat<T> || std::is_floating_point_v<T>) {
        text.Append("%f", static_cast<double>(static_cast<float>(value)));
    } else if constexpr (std::is_signed_v<T>) {
        text.Append("%lld", static_cast<long long>(value));
    } else {
        text.Append("%llu", static_cast<unsigned long long>(value));
    }
}

template <typename T>
void DumpElements(const T* data, uint64_t address, const char* position, uint32_t description, uint32_t count) {
    TextBuffer text;
    text.Append("DumpTensor: desc=%u, addr=0x%llx, data_type=%s, position=%s, dump_size=%u\n[", description,
                static_cast<unsigned long long>(address), TypeName<T>(), position, count);
    for (uint32_t i = 0; i < count; ++i) {
        text.Append(i == 0 ? "" : ", ");
        AppendElement(text, data[i]);
        if (text.NearlyFull()) {
            Print(text.Text());
            text.Clear();
        }
    }
    text.Append("]\n");
    Print(text.Text());
}

}  // namespace sktwin

namespace AscendC {

// Where the device would put its text; here it goes straight to the runner.
inline void InitDump(bool, GM_ADDR, uint32_t) {}


template <typename... A>
void printf(const char* format, A... arguments) {
#if defined(SKTWIN_HOST)
    // Host code that has opened the namespace finds this one.
    std::printf(format, sktwin::PrintArgument(arguments)...);
#elif ASCENDC_DUMP
    sktwin::DevicePrint(format, arguments...);
#else
    (void)format;
    ((void)arguments, ...);
#endif
}

template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                sktwin::Site site = sktwin::Site::Here()) {
    if (ASCENDC_DUMP == 0 || sktwin::LocalSize(tensor.GetMemory()) == 0) {
        return;
    }
    sktwin::CheckLocalRange(tensor.GetMemory(), tensor.GetByteOffset(), uint64_t(dumpSize) * sizeof(T), site);
    sktwin::DumpElements(tensor.GetPhyAddr(), tensor.GetByteOffset(), sktwin::MemoryName(tensor.GetMemory()), desc,
                         dumpSize);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                sktwin::Site site = sktwin::Site::Here()) {
    if (ASCENDC_DUMP == 0 || dumpSize == 0) {
        return;
    }
    const auto* data = reinterpret_cast<const T*>(
        sktwin::GlobalAccess(tensor.GetPhyAddr(), uint64_t(dumpSize) * sizeof(T), false, site));
    sktwin::DumpElements(data, reinterpret_cast<uint64_t>(tensor.GetPhyAddr()), "GM", desc, dumpSize);
}
template <typename T>
void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     sktwin::Site site = sktwin::Site::Here()) {
    DumpTensor(tensor[countOff], index, dumpSize, site);
}
template <typename T>
void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     sktwin::Site site = sktwin::Site::Here()) {
    DumpTensor(tensor[countOff], index, dumpSize, site);
}

template <typename... A>
[[noreturn]] void AssertFailed(sktwin::Site site, const char* expression, const char* format = "", A... arguments) {
    char text[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-zero-length"
    __builtin_snprintf(text, sizeof(text), format, sktwin::PrintArgument(arguments)...);
#pragma GCC diagnostic pop
    sktwin::Fault("kernel-assert", site, "Assertion `%s' failed. %s", expression, text);
}

}  // namespace AscendC

#define PRINTF(...) ::AscendC::printf(__VA_ARGS__)

// The host's <cassert> defines assert too; the kernel's must report through the run.
#ifdef SKTWIN_HOST
#define ascendc_assert(...) ((void)0)
#elif ASCENDC_DUMP
#undef assert
#define ascendc_assert(expression, ...) \
    ((expression) ? (void)0 : ::AscendC::AssertFailed(::sktwin::Site{__FILE__, __LINE__}, #expression, ##__VA_ARGS__))
#define assert(...) ascendc_assert(__VA_ARGS__)
#else
#undef assert
#define ascendc_assert(...) ((void)0)
#define assert(...) ((void)0)
#endif
#ifndef ASCENDC_ASSERT
#define ASCENDC_ASSERT(condition, behavior) ((void)0)
#endif
