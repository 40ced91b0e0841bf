// Licensed under the Apache License, Version 2.0.
//
// Global memory as buffers of the host, and the on-chip memories of each physical core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "job.h"

namespace sktwin::runtime {

// One buffer of global memory. Unmapped pages on both sides keep stray pointers from reaching its neighbour.
struct Buffer {
    std::string name;
    uint8_t* begin;
    uint64_t bytes;
};

class GlobalMemory {
public:
    // Maps a buffer; `file` empty: anonymous memory. Throws std::runtime_error that says what the system refused.
    uint8_t* Add(const std::string& name, uint64_t bytes, const std::string& file);

    // Gives the pages of a buffer back. Its name stays for messages, as that of a freed buffer, for the last kFreed.
    // False when none begins there.
    bool Remove(const void* begin);

    bool IsFreed(const void* address) const;

    // Whether the host may touch the buffers' bytes itself.
    void Open(bool open) const;

    // The buffer that holds the whole range, or nullptr.
    const Buffer* Find(const void* address, uint64_t bytes) {
        const auto* byte = static_cast<const uint8_t*>(address);
        if (last_ != nullptr && Holds(*last_, byte, bytes)) {
            return last_;
        }
        return Search(byte, bytes);
    }

    const Buffer* FindName(const std::string& name) const;

    // "12 bytes past the end of buffer 'x' (256 bytes)", for messages about a wrong address.
    std::string Describe(const void* address) const;

private:
    static bool Holds(const Buffer& buffer, const uint8_t* byte, uint64_t bytes) {
        return byte >= buffer.begin && bytes <= buffer.bytes &&
               static_cast<uint64_t>(byte - buffer.begin) <= buffer.bytes - bytes;
    }
    const Buffer* Search(const uint8_t* byte, uint64_t bytes);

    static constexpr size_t kFreed = 256;

    std::vector<Buffer> buffers_;  // by address
    std::deque<Buffer> freed_;     // their addresses stay taken, so that stray pointers reach nothing else
    const Buffer* last_ = nullptr;
};

// The memories of one physical core; they keep what they hold from launch to launch.
class LocalMemory {
public:
    // `reserved`: last bytes of each that kernels may not use.
    LocalMemory(const uint32_t (&sizes)[kMemories], const uint32_t (&reserved)[kMemories], uint64_t seed)
        : sizes_(sizes), reserved_(reserved), seed_(seed) {}

    // Points the core at its memories, which are created with their first content when a core first uses them.
    void Attach(Core* core);

    // Name of the memory whose guard page or bytes hold the address, or nullptr.
    const char* NameAt(const void* address) const;

private:
    void Create();

    const uint32_t (&sizes_)[kMemories];
    const uint32_t (&reserved_)[kMemories];
    uint64_t seed_;
    uint8_t* begin_[kMemories] = {};
    bool created_ = false;
};

const char* MemoryName(size_t memory);

struct Device;
// Which memories of the running core end before their last byte, for messages: empty when none does.
std::string ReservedText(const Device& device);

}  // namespace sktwin::runtime
