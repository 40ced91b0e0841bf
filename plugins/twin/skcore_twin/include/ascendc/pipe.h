// Licensed under the Apache License, Version 2.0.
//
// TPipe: hands out the local memories and the event ids of one core (spec ascendc_data_cube.md 3.1).
#pragma once

#include <cstdint>

#include "ascendc/events.h"
#include "ascendc/system.h"
#include "ascendc/tensor.h"

namespace AscendC {

constexpr uint32_t QBUF_MAX_LEN = 64;
constexpr int32_t QUE_MAX_EVENT = 8;

namespace detail {

enum class BlockState : uint8_t {
    kFree,
    kOccupied,
    kEnqueued,
    kDequeued
};

// One block of a queue. It lives in the pipe, so that queues may be copied.
struct QueueBlock {
    uint32_t address = 0;
    uint32_t length = 0;
    BlockState state = BlockState::kFree;
    TTagType tag = 0;
};

inline const char* StateName(BlockState state) {
    constexpr const char* kNames[] = {"free", "allocated", "enqueued", "dequeued"};
    return kNames[static_cast<int>(state)];
}

// Bump allocation over the local memories of this core; TSCM grows downward from the end of L1.
class LocalArena {
public:
    using Memory = sktwin::Memory;

    void Reset() { *this = LocalArena(); }
    uint32_t Used(Memory memory) const { return used_[static_cast<int>(memory)]; }

    // Start of `bytes` fresh bytes. Nothing is taken of a memory that this core lacks.
    uint32_t Take(TPosition position, uint32_t bytes, sktwin::Site site) {
        const Memory memory = sktwin::MemoryOf(position);
        const uint32_t size = sktwin::LocalSize(memory);
        if (size == 0) {
            return 0;
        }
        uint32_t& used = used_[static_cast<int>(memory)];
        if (uint64_t(used) + scmUsed_ * (memory == Memory::kL1) + bytes > size) {
            sktwin::Fault("local-memory-size", site,
                          "InitBuffer asks for %u bytes of %s, where %u of %u bytes are left; "
                          "use smaller tiles, fewer buffers, or share memory with TBufPool",
                          bytes, sktwin::MemoryName(memory), size - used, size);
        }
        if (position == TPosition::TSCM) {
            scmUsed_ += bytes;
            return size - scmUsed_;
        }
        used += bytes;
        return used - bytes;
    }

private:
    uint32_t used_[static_cast<int>(Memory::kCount)] = {};
    uint32_t scmUsed_ = 0;
};

}  // namespace detail

class TPipe {
public:
    using Site = sktwin::Site;

    explicit TPipe(Site site = Site::Here()) {
        auto& alive = sktwin::Self().blockLocal.pipe;
        if (alive != nullptr) {
            sktwin::Fault("pipe-alive", site,
                          "a TPipe is created while another one is alive on this core; call Destroy on "
                          "the first one, or pass it on");
        }
        InitSocState();
        Init(site);
    }
    ~TPipe() { Destroy(); }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init(Site site = Site::Here()) {
        if (sktwin::Self().pipeUnsettled) {
            sktwin::Fault("pipe-barrier-missing", site,
                          "a TPipe begins while transfers of the one before may still run: inside a SuperKernel "
                          "Destroy has no barrier, so put PipeBarrier<PIPE_ALL>() between the two");
        }
        sktwin::Self().blockLocal.pipe = this;
        Rewind();
    }
    // Inside a SuperKernel the barrier is left out, so that the last transfers overlap the next sub-kernel
    // (device 5.3).
    void Destroy() {
        if (sktwin::Self().blockLocal.pipe != this) {
            return;
        }
#ifndef __ASCENDC_ENABLE_SUPER_KERNEL__
        PipeBarrier<PIPE_ALL>();
#endif
        sktwin::Self().blockLocal.pipe = nullptr;
        sktwin::Self().pipeUnsettled = sktwin::Self().inSubKernel;
    }
    void Reset() {
        InitSocState();
        Rewind();
    }

    template <typename Q>
    bool InitBuffer(Q& queue, uint8_t num, uint32_t length, Site site = Site::Here()) {
        if (num == 0) {
            sktwin::Fault("queue-init", site, "InitBuffer with 0 blocks; give 1, or 2 for double buffering");
        }
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        detail::QueueBlock* blocks = TakeBlocks(num, site);
        const uint32_t start = arena_.Take(Q::kMemoryPosition, num * bytes, site);
        for (uint8_t i = 0; i < num; ++i) {
            blocks[i] = {start + i * bytes, bytes, detail::BlockState::kFree, 0};
        }
        queue.Attach(blocks, num);
        return true;
    }
    template <typename B>
    bool InitBuffer(B& buffer, uint32_t length, Site site = Site::Here()) {
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        buffer.Attach(arena_.Take(B::kPosition, bytes, site), bytes);
        return true;
    }
    template <typename P>
    bool InitBufPool(P& pool, uint32_t length, Site site = Site::Here()) {
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        pool.Attach(arena_.Take(P::kPosition, bytes, site), bytes);
        return true;
    }
    // The pool uses the memory of `shared` again, in another phase of the kernel.
    template <typename P, typename S>
    bool InitBufPool(P& pool, uint32_t length, S& shared, Site site = Site::Here()) {
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        sktwin::CheckLocalRange(sktwin::MemoryOf(P::kPosition), shared.Start(), bytes, site);
        pool.Attach(shared.Start(), bytes);
        return true;
    }

    template <HardEvent event>
    TEventID AllocEventID(Site site = Site::Here()) {
        const TEventID id = FetchEventID(event, site);
        events_[static_cast<int>(event)] |= static_cast<uint8_t>(1u << id);
        return id;
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id) {
        events_[static_cast<int>(event)] &= static_cast<uint8_t>(~(1u << id));
    }
    template <HardEvent event>
    TEventID FetchEventID(Site site = Site::Here()) {
        return FetchEventID(event, site);
    }
    TEventID FetchEventID(HardEvent event, Site site = Site::Here()) {
        for (TEventID id = 0; id < QUE_MAX_EVENT; ++id) {
            if ((events_[static_cast<int>(event)] >> id & 1u) == 0) {
                return id;
            }
        }
        sktwin::Fault("event-id", site, "all %d ids of one hard event are taken; release ids after use", QUE_MAX_EVENT);
    }

    // Internal: blocks of queues, also for pools.
    detail::QueueBlock* TakeBlocks(uint8_t num, Site site) {
        if (blockCount_ + num > QBUF_MAX_LEN) {
            sktwin::Fault("pipe-blocks", site, "the queues of one TPipe have more than %u blocks in all", QBUF_MAX_LEN);
        }
        blockCount_ += num;
        return blocks_ + blockCount_ - num;
    }
    uint32_t UsedBytes(sktwin::Memory memory) const { return arena_.Used(memory); }

private:
    void Rewind() {
        arena_.Reset();
        blockCount_ = 0;
        for (uint8_t& used : events_) {
            used = 0;
        }
    }

    detail::LocalArena arena_;
    detail::QueueBlock blocks_[QBUF_MAX_LEN];
    uint32_t blockCount_ = 0;
    uint8_t events_[static_cast<int>(HardEvent::MAX)] = {};
};

}  // namespace AscendC

// Global, as on the device; kernels also name it in the namespace.
inline AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(sktwin::Self().blockLocal.pipe); }

namespace AscendC {

using ::GetTPipePtr;

// The rest of the memory that no InitBuffer has taken yet; a later InitBuffer overlaps it.
template <typename T, TPosition position>
bool PopStackBuffer(LocalTensor<T>& tensor) {
    const sktwin::Memory memory = sktwin::MemoryOf(position);
    const uint32_t start = GetTPipePtr() == nullptr ? 0 : GetTPipePtr()->UsedBytes(memory);
    TBuffAddr address;
    address.bufferAddr = start;
    address.dataLen = sktwin::LocalSize(memory) - start;
    address.logicPos = static_cast<uint8_t>(position);
    tensor.SetAddr(address);
    return true;
}

}  // namespace AscendC
