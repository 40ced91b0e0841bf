// Licensed under the Apache License, Version 2.0.
#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "device.h"
#include "random.h"

namespace sktwin::runtime {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGapBytes = 16 * kPage;

uint64_t RoundToPage(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

[[noreturn]] void Refuse(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// Reserves room with a gap on both sides and returns the address of the room.
uint8_t* Reserve(uint64_t bytes, const std::string& name) {
    void* region = mmap(nullptr, bytes + 2 * kGapBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        Refuse("no address space for '" + name + "' (" + std::to_string(bytes) + " bytes)");
    }
    return static_cast<uint8_t*>(region) + kGapBytes;
}

int OpenSized(const std::string& name, const std::string& file, uint64_t bytes) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        Refuse("cannot open '" + file + "' for buffer '" + name + "'");
    }
    struct stat status {};
    if (fstat(descriptor, &status) != 0 ||
        (static_cast<uint64_t>(status.st_size) < bytes && ftruncate(descriptor, static_cast<off_t>(bytes)) != 0)) {
        close(descriptor);
        Refuse("cannot make '" + file + "' hold the " + std::to_string(bytes) + " bytes of buffer '" + name + "'");
    }
    return descriptor;
}

}  // namespace

uint8_t* GlobalMemory::Add(const std::string& name, uint64_t bytes, const std::string& file) {
    const uint64_t room = std::max(RoundToPage(bytes), kPage);
    uint8_t* begin = Reserve(room, name);
    // An empty file has no page that can be mapped.
    const bool fromFile = !file.empty() && bytes > 0;
    const int descriptor = fromFile ? OpenSized(name, file, bytes) : -1;
    const int kind = fromFile ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* mapped = mmap(begin, room, PROT_READ | PROT_WRITE, kind | MAP_FIXED, descriptor, 0);
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (mapped == MAP_FAILED) {
        Refuse("cannot map buffer '" + name + "'");
    }
    const auto place = std::upper_bound(buffers_.begin(), buffers_.end(), begin,
                                        [](const uint8_t* at, const Buffer& other) { return at < other.begin; });
    buffers_.insert(place, {name, begin, bytes});
    last_ = nullptr;
    return begin;
}

bool GlobalMemory::Remove(const void* begin) {
    const auto found =
        std::find_if(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) { return buffer.begin == begin; });
    if (found == buffers_.end()) {
        return false;
    }
    const uint64_t room = std::max(RoundToPage(found->bytes), kPage);
    // A fresh mapping instead of a protection: the bytes go back to the system.
    mmap(found->begin, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    freed_.push_back(*found);
    buffers_.erase(found);
    last_ = nullptr;
    if (freed_.size() > kFreed) {
        const Buffer& oldest = freed_.front();
        munmap(oldest.begin - kGapBytes, std::max(RoundToPage(oldest.bytes), kPage) + 2 * kGapBytes);
        freed_.pop_front();
    }
    return true;
}

bool GlobalMemory::IsFreed(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    return std::any_of(freed_.begin(), freed_.end(),
                       [&](const Buffer& buffer) { return byte >= buffer.begin && byte < buffer.begin + buffer.bytes; });
}

void GlobalMemory::Open(bool open) const {
    for (const Buffer& buffer : buffers_) {
        mprotect(buffer.begin, std::max(RoundToPage(buffer.bytes), kPage), open ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
}

const Buffer* GlobalMemory::Search(const uint8_t* byte, uint64_t bytes) {
    auto next = std::upper_bound(buffers_.begin(), buffers_.end(), byte,
                                 [](const uint8_t* at, const Buffer& other) { return at < other.begin; });
    if (next == buffers_.begin() || !Holds(*--next, byte, bytes)) {
        return nullptr;
    }
    return last_ = &*next;
}

const Buffer* GlobalMemory::FindName(const std::string& name) const {
    const auto found =
        std::find_if(buffers_.begin(), buffers_.end(), [&](const Buffer& buffer) { return buffer.name == name; });
    return found == buffers_.end() ? nullptr : &*found;
}

std::string GlobalMemory::Describe(const void* address) const {
    if (address == nullptr) {
        return "a null pointer";
    }
    const auto at = reinterpret_cast<uint64_t>(address);
    constexpr uint64_t kFar = 1U << 30;
    for (const Buffer& buffer : freed_) {
        const auto begin = reinterpret_cast<uint64_t>(buffer.begin);
        if (at >= begin && at < begin + buffer.bytes) {
            return "byte " + std::to_string(at - begin) + " of buffer '" + buffer.name + "', which has been freed";
        }
    }
    std::string text = "an address of no buffer";
    uint64_t nearest = kFar;
    for (const Buffer& buffer : buffers_) {
        const auto begin = reinterpret_cast<uint64_t>(buffer.begin);
        const uint64_t end = begin + buffer.bytes;
        const std::string name = " buffer '" + buffer.name + "' (" + std::to_string(buffer.bytes) + " bytes)";
        if (at >= begin && at < end) {
            return "byte " + std::to_string(at - begin) + " of" + name;
        }
        const uint64_t distance = at < begin ? begin - at : at - end;
        if (distance < nearest) {
            nearest = distance;
            text = std::to_string(distance) + " bytes " + (at < begin ? "before" : "past the end of") + name;
        }
    }
    return text;
}

const char* MemoryName(size_t memory) {
    constexpr const char* kNames[kMemories] = {"UB", "L1", "L0A", "L0B", "L0C",
                                                "bias table", "fixpipe buffer", "L0A_MX", "L0B_MX"};
    return kNames[memory];
}

void LocalMemory::Create() {
    created_ = true;
    Random random(seed_);
    for (size_t memory = 0; memory < kMemories; ++memory) {
        if (sizes_[memory] == 0) {
            continue;
        }
        const uint64_t room = RoundToPage(sizes_[memory]);
        begin_[memory] = Reserve(room, MemoryName(memory));
        if (mprotect(begin_[memory], room, PROT_READ | PROT_WRITE) != 0) {
            Refuse(std::string("no memory for ") + MemoryName(memory));
        }
        // No byte is zero: a kernel that relies on cleared memory must fail here as it would on a device.
        constexpr uint64_t kEveryByteOdd = 0x0101010101010101ULL;
        for (uint64_t at = 0; at < room; at += sizeof(uint64_t)) {
            const uint64_t pattern = random.Next() | kEveryByteOdd;
            std::memcpy(begin_[memory] + at, &pattern, sizeof(pattern));
        }
    }
}

void LocalMemory::Attach(Core* core) {
    if (!created_) {
        Create();
    }
    for (size_t memory = 0; memory < kMemories; ++memory) {
        core->local[memory] = begin_[memory];
        core->localSize[memory] = sizes_[memory] - reserved_[memory];
    }
}

std::string ReservedText(const Device& device) {
    const int kind = Index(device.scheduler.current()->core.kind);
    std::string text;
    for (size_t memory = 0; memory < kMemories; ++memory) {
        const uint32_t bytes = device.job.target.reserved[kind][memory];
        if (bytes != 0) {
            text += "; the last " + std::to_string(bytes) + " bytes of " + MemoryName(memory) +
                    " are reserved for the compiler and the API";
        }
    }
    return text;
}

const char* LocalMemory::NameAt(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    for (size_t memory = 0; memory < kMemories; ++memory) {
        const uint8_t* begin = begin_[memory];
        if (begin != nullptr && byte >= begin - kGapBytes && byte < begin + RoundToPage(sizes_[memory]) + kGapBytes) {
            return MemoryName(memory);
        }
    }
    return nullptr;
}

}  // namespace sktwin::runtime
