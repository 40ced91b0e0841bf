// Licensed under the Apache License, Version 2.0.
//
// Memory of the device and of the host, and copies between them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "errors.h"

using namespace sktwin::program;

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kBlock = 32;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

aclError WrongParameter(const char* call, const std::string& why) {
    return Refuse(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + ": " + why);
}

aclError NoDevice(const char* call) {
    return Refuse(ACL_ERROR_RT_CONTEXT_NULL, std::string(call) + ": the thread has no device; call aclrtSetDevice");
}

// Fresh memory holds anything; a program that counts on zeros must fail here too.
void Scramble(void* memory, size_t bytes, uint64_t seed) {
    sktwin::runtime::Random random(seed);
    constexpr uint64_t kEveryByteOdd = 0x0101010101010101ULL;
    auto* byte = static_cast<uint8_t*>(memory);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        const uint64_t pattern = random.Next() | kEveryByteOdd;
        std::memcpy(byte + at, &pattern, std::min(sizeof(pattern), bytes - at));
    }
}

// Why the range cannot be used, or an empty text. Device memory has to hold it whole; any other address is the host's.
std::string WrongRange(const char* what, const void* address, size_t bytes) {
    sktwin::runtime::GlobalMemory& memory = TheWorld().device->memory;
    if (address == nullptr) {
        return std::string("the ") + what + " is null";
    }
    const bool within = memory.Find(address, 1) != nullptr;
    if (memory.IsFreed(address) || (within && memory.Find(address, bytes) == nullptr)) {
        return std::to_string(bytes) + " bytes of the " + what + " do not lie inside one allocation: they begin at " +
               memory.Describe(address);
    }
    return "";
}

bool IsKind(aclrtMemcpyKind kind) {
    return kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;
}

// Memory that the runtime knows: what else takes part in a copy is done with it when the call returns.
bool IsOwn(const void* address) {
    World& world = TheWorld();
    if (world.device->memory.Find(address, 1) != nullptr) {
        return true;
    }
    const auto* byte = static_cast<const uint8_t*>(address);
    auto next = world.hostMemory.upper_bound(const_cast<void*>(address));
    return next != world.hostMemory.begin() &&
           byte < static_cast<const uint8_t*>((--next)->first) + next->second;
}

// Puts work into a stream; `now`: it is done before the call returns, after what the stream holds already.
aclError Order(const char* call, aclrtStream handle, bool now, std::function<void()> work) {
    World& world = TheWorld();
    Context* context = CurrentContext();
    if (context == nullptr) {
        return NoDevice(call);
    }
    Stream* stream = handle == nullptr ? &context->defaultStream : world.FindStream(handle);
    if (stream == nullptr) {
        return Refuse(ACL_ERROR_RT_INVALID_HANDLE, std::string(call) + ": there is no such stream, or no longer");
    }
    stream->tasks.push_back({[work = std::move(work)] {
                                 const DeviceAccess access;
                                 work();
                             },
                             nullptr});
    if (now) {
        world.Drain(*stream);
    }
    return ACL_SUCCESS;
}

aclError CheckCopy(const char* call, const void* dst, size_t destMax, const void* src, size_t count,
                   aclrtMemcpyKind kind) {
    if (!IsKind(kind)) {
        return WrongParameter(call, "there is no kind " + std::to_string(static_cast<int>(kind)));
    }
    if (count > destMax) {
        return WrongParameter(call, std::to_string(count) + " bytes for a destination of " + std::to_string(destMax));
    }
    std::string wrong = WrongRange("destination", dst, count);
    wrong = wrong.empty() ? WrongRange("source", src, count) : wrong;
    return wrong.empty() ? ACL_SUCCESS : WrongParameter(call, wrong);
}

aclError CheckCopy2d(const char* call, const void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                     size_t height, aclrtMemcpyKind kind) {
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST) {
        return WrongParameter(call, "rows are copied from host to device or back only");
    }
    if (width == 0 || height == 0 || width > dpitch || width > spitch) {
        return WrongParameter(call, "a row of " + std::to_string(width) + " bytes, pitches of " +
                                        std::to_string(dpitch) + " and " + std::to_string(spitch));
    }
    std::string wrong = WrongRange("destination", dst, (height - 1) * dpitch + width);
    wrong = wrong.empty() ? WrongRange("source", src, (height - 1) * spitch + width) : wrong;
    return wrong.empty() ? ACL_SUCCESS : WrongParameter(call, wrong);
}

void CopyRows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height) {
    for (size_t row = 0; row < height; ++row) {
        std::memcpy(static_cast<uint8_t*>(dst) + row * dpitch, static_cast<const uint8_t*>(src) + row * spitch, width);
    }
}

aclError CheckSet(const char* call, const void* devPtr, size_t maxCount, size_t count) {
    if (count > maxCount) {
        return WrongParameter(call, std::to_string(count) + " bytes for a destination of " + std::to_string(maxCount));
    }
    const std::string wrong = WrongRange("destination", devPtr, count);
    return wrong.empty() ? ACL_SUCCESS : WrongParameter(call, wrong);
}

aclError Allocate(const char* call, void** devPtr, size_t size) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (devPtr == nullptr || size == 0) {
        return WrongParameter(call, devPtr == nullptr ? "the pointer is null" : "the size is 0");
    }
    if (CurrentContext() == nullptr) {
        return NoDevice(call);
    }
    const size_t bytes = RoundUp(size, kBlock);
    const std::string name = "allocation " + std::to_string(++world.allocations);
    try {
        uint8_t* made = world.device->memory.Add(name, bytes, "");
        Scramble(made, bytes, world.device->random.Next());
        world.deviceMemory.insert(made);
        *devPtr = made;
    } catch (const std::runtime_error& error) {
        return Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, std::string(call) + ": " + error.what());
    }
    const DeviceAccess closes;
    return ACL_SUCCESS;
}

}  // namespace

namespace sktwin::program {

void World::FreeDeviceMemory() {
    for (void* memory : deviceMemory) {
        device->memory.Remove(memory);
    }
    deviceMemory.clear();
}

}  // namespace sktwin::program

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) { return Allocate("aclrtMalloc", devPtr, size); }

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy) {
    return Allocate("aclrtMallocAlign32", devPtr, size);
}

aclError aclrtFree(void* devPtr) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (world.deviceMemory.erase(devPtr) == 0) {
        return WrongParameter("aclrtFree", devPtr == nullptr ? "the pointer is null"
                                                             : "no allocation begins there: " +
                                                                   world.device->memory.Describe(devPtr));
    }
    world.device->memory.Remove(devPtr);
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (hostPtr == nullptr || size == 0) {
        return WrongParameter("aclrtMallocHost", hostPtr == nullptr ? "the pointer is null" : "the size is 0");
    }
    if (CurrentContext() == nullptr) {
        return NoDevice("aclrtMallocHost");
    }
    void* made = std::aligned_alloc(kAlignment, RoundUp(size, kAlignment));
    if (made == nullptr) {
        return Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocHost: no memory for " + std::to_string(size));
    }
    Scramble(made, size, world.device->random.Next());
    world.hostMemory[made] = size;
    *hostPtr = made;
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (world.hostMemory.erase(hostPtr) == 0) {
        return WrongParameter("aclrtFreeHost", hostPtr == nullptr ? "the pointer is null"
                                                                  : "aclrtMallocHost did not give it, or it is freed");
    }
    std::free(hostPtr);
    return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
    if (free == nullptr || total == nullptr) {
        return WrongParameter("aclrtGetMemInfo", "a pointer is null");
    }
    *free = *total = sktwin::ThePlatform().hbm;
    return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    const Lock lock(TheWorld().mutex);
    const aclError error = CheckSet("aclrtMemset", devPtr, maxCount, count);
    if (error == ACL_SUCCESS) {
        const DeviceAccess access;
        std::memset(devPtr, value, count);
    }
    return error;
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    const Lock lock(TheWorld().mutex);
    const aclError error = CheckSet("aclrtMemsetAsync", devPtr, maxCount, count);
    return error != ACL_SUCCESS ? error : Order("aclrtMemsetAsync", stream, !IsOwn(devPtr), [=] {
        std::memset(devPtr, value, count);
    });
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    const Lock lock(TheWorld().mutex);
    const aclError error = CheckCopy("aclrtMemcpy", dst, destMax, src, count, kind);
    if (error == ACL_SUCCESS) {
        const DeviceAccess access;
        std::memmove(dst, src, count);
    }
    return error;
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    const Lock lock(TheWorld().mutex);
    const aclError error = CheckCopy("aclrtMemcpyAsync", dst, destMax, src, count, kind);
    return error != ACL_SUCCESS ? error : Order("aclrtMemcpyAsync", stream, !IsOwn(dst) || !IsOwn(src), [=] {
        std::memmove(dst, src, count);
    });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
    const Lock lock(TheWorld().mutex);
    const aclError error = CheckCopy2d("aclrtMemcpy2d", dst, dpitch, src, spitch, width, height, kind);
    if (error == ACL_SUCCESS) {
        const DeviceAccess access;
        CopyRows(dst, dpitch, src, spitch, width, height);
    }
    return error;
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
    const Lock lock(TheWorld().mutex);
    const aclError error = CheckCopy2d("aclrtMemcpy2dAsync", dst, dpitch, src, spitch, width, height, kind);
    return error != ACL_SUCCESS ? error : Order("aclrtMemcpy2dAsync", stream, !IsOwn(dst) || !IsOwn(src), [=] {
        CopyRows(dst, dpitch, src, spitch, width, height);
    });
}

}  // extern "C"
