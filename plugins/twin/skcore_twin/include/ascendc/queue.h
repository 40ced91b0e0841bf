// Licensed under the Apache License, Version 2.0.
//
// Queues and buffers over a TPipe (spec ascendc_data_cube.md 3.2 to 3.5). Every instruction completes at issue, so the
// queues need no flags here; what they check is the life of each block.
#pragma once

#include <cstdint>

#include "ascendc/pipe.h"

namespace AscendC {

namespace detail {

constexpr TPosition SourceOf(TPosition position) {
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::SPM:
            return TPosition::VECOUT;
        case TPosition::A2:
            return TPosition::A1;
        case TPosition::B2:
        case TPosition::C2PIPE2GM:
            return TPosition::B1;
        case TPosition::C2:
            return TPosition::C1;
        case TPosition::CO1:
            return TPosition::CO1;
        case TPosition::CO2:
            return TPosition::CO2;
        default:
            return TPosition::GM;
    }
}

constexpr TPosition DestinationOf(TPosition position) {
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::SPM:
        case TPosition::CO2:
            return TPosition::GM;
        case TPosition::CO1:
            return TPosition::CO2;
        default:
            return position;
    }
}

constexpr bool InGlobalMemory(TPosition position) { return position == TPosition::GM || position == TPosition::CO2; }

}  // namespace detail

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
public:
    using Site = sktwin::Site;
    static constexpr TPosition kMemoryPosition = detail::InGlobalMemory(dst) ? src : dst;

    template <typename T>
    LocalTensor<T> AllocTensor(Site site = Site::Here()) {
        for (uint8_t i = 0; i < num_; ++i) {
            detail::QueueBlock& block = blocks_[(cursor_ + i) % num_];
            if (block.state == detail::BlockState::kFree) {
                cursor_ = static_cast<uint8_t>((cursor_ + i + 1) % num_);
                block.state = detail::BlockState::kOccupied;
                ++inUse_;
                return Tensor<T>(block);
            }
        }
        RequireInit(site);
        sktwin::Fault("queue-exhausted", site,
                      "AllocTensor finds none of the %u blocks free, and the device waits for ever "
                      "here; call FreeTensor on the earlier ones",
                      num_);
    }
    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor, Site site = Site::Here()) {
        tensor = AllocTensor<T>(site);
    }

    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor, Site site = Site::Here()) {
        detail::QueueBlock& block = BlockOf(tensor, "EnQue", site);
        if (block.state != detail::BlockState::kOccupied && block.state != detail::BlockState::kDequeued) {
            WrongState("EnQue", "allocated or dequeued", block, site);
        }
        if (used_ >= kCapacity || (depth == 0 && used_ >= num_)) {
            sktwin::Fault("queue-full", site,
                          "EnQue of tensor %u on a queue of depth %d; DeQue first, or declare a larger "
                          "depth",
                          used_ + 1u, depth);
        }
        block.state = detail::BlockState::kEnqueued;
        block.tag = tensor.GetUserTag();
        fifo_[(head_ + used_) % kCapacity] = static_cast<uint8_t>(&block - blocks_);
        ++used_;
        return true;
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    bool EnQue(const LocalTensor<T>& tensor, Site site = Site::Here()) {
        return EnQue(tensor, site);
    }

    template <typename T>
    LocalTensor<T> DeQue(Site site = Site::Here()) {
        RequireInit(site);
        if (used_ == 0) {
            sktwin::Fault("queue-empty", site,
                          "DeQue on a queue into which nothing was enqueued; the device result is "
                          "undefined here");
        }
        detail::QueueBlock& block = blocks_[fifo_[head_]];
        head_ = static_cast<uint8_t>((head_ + 1) % kCapacity);
        --used_;
        block.state = detail::BlockState::kDequeued;
        LocalTensor<T> tensor = Tensor<T>(block);
        tensor.SetUserTag(block.tag);
        return tensor;
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor, Site site = Site::Here()) {
        tensor = DeQue<T>(site);
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    LocalTensor<T> DeQue(Site site = Site::Here()) {
        return DeQue<T>(site);
    }

    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor, Site site = Site::Here()) {
        detail::QueueBlock& block = BlockOf(tensor, "FreeTensor", site);
        if (block.state != detail::BlockState::kOccupied && block.state != detail::BlockState::kDequeued) {
            WrongState("FreeTensor", "allocated or dequeued", block, site);
        }
        block.state = detail::BlockState::kFree;
        --inUse_;
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>&& tensor, Site site = Site::Here()) {
        FreeTensor(tensor, site);
    }

    bool VacantInQue() const { return RequireDepth(), used_ < kCapacity; }
    bool HasTensorInQue() const { return RequireDepth(), used_ > 0; }
    bool HasIdleBuffer() const { return RequireDepth(), inUse_ < num_; }
    int32_t GetTensorCountInQue() const { return RequireDepth(), used_; }
    void FreeAllEvent() {}

    // Internal: called by InitBuffer of the pipe and of pools.
    void Attach(detail::QueueBlock* blocks, uint8_t num) {
        blocks_ = blocks;
        num_ = num;
        cursor_ = head_ = used_ = inUse_ = 0;
    }

    // For pools of a kernel's own (EXTERN_IMPL_BUFPOOL): first the run of blocks, then each block.
    void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t) {
        Attach(reinterpret_cast<detail::QueueBlock*>(startBufhandle), num);
    }
    template <typename P>
    void InitBufHandle(P*, uint32_t index, TBufHandle bufhandle, uint32_t curPoolAddr, uint32_t len) {
        auto* block = reinterpret_cast<detail::QueueBlock*>(bufhandle);
        *(block == blocks_ ? block + index : block) = {curPoolAddr, len, detail::BlockState::kFree, 0};
    }

private:
    static constexpr uint8_t kCapacity = depth > 0 ? depth : 16;

    static constexpr void RequireDepth() {
        static_assert(depth > 0, "queues of depth 0 have no fill state: use a depth of 1 to ask for it");
    }
    void RequireInit(Site site) const {
        if (blocks_ == nullptr) {
            sktwin::Fault("queue-init", site, "the queue is used before TPipe::InitBuffer");
        }
    }
    template <typename T>
    LocalTensor<T> Tensor(detail::QueueBlock& block) const {
        TBuffAddr address;
        address.bufferAddr = block.address;
        address.dataLen = block.length;
        address.bufferHandle = reinterpret_cast<TBuffHandle>(&block);
        address.logicPos = static_cast<uint8_t>(kMemoryPosition);
        return LocalTensor<T>(address);
    }
    template <typename T>
    detail::QueueBlock& BlockOf(const LocalTensor<T>& tensor, const char* call, Site site) const {
        RequireInit(site);
        auto* block = reinterpret_cast<detail::QueueBlock*>(tensor.GetAddress().bufferHandle);
        if (block < blocks_ || block >= blocks_ + num_) {
            sktwin::Fault("queue-block-state", site, "%s of a tensor that AllocTensor of this queue did not give",
                          call);
        }
        return *block;
    }
    [[noreturn]] static void WrongState(const char* call, const char* allowed, const detail::QueueBlock& block,
                                        Site site) {
        sktwin::Fault("queue-block-state", site, "%s of a block that is %s; it must be %s", call,
                      detail::StateName(block.state), allowed);
    }

    detail::QueueBlock* blocks_ = nullptr;
    uint8_t fifo_[kCapacity] = {};
    uint8_t num_ = 0;
    uint8_t cursor_ = 0;
    uint8_t head_ = 0;
    uint8_t used_ = 0;
    uint8_t inUse_ = 0;
};

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<detail::SourceOf(position), detail::DestinationOf(position), depth, mask> {};

template <TPosition position, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<position, TPosition::TSCM, depth, mask>;

template <TPosition position = TPosition::LCM>
class TBuf {
public:
    using Site = sktwin::Site;
    static constexpr TPosition kPosition = position;

    template <typename T>
    LocalTensor<T> Get(Site site = Site::Here()) const {
        return View<T>(0, length_, site);
    }
    template <typename T>
    LocalTensor<T> Get(uint32_t count, Site site = Site::Here()) const {
        return View<T>(0, static_cast<uint32_t>(sktwin::BytesOf<T>(count)), site);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t byteOffset, Site site = Site::Here()) const {
        return View<T>(byteOffset, static_cast<uint32_t>(sktwin::BytesOf<T>(size)), site);
    }
    template <typename T>
    LocalTensor<T> AllocTensor(Site site = Site::Here()) const {
        return Get<T>(site);
    }
    template <typename T>
    bool EnQue(const LocalTensor<T>&) const {
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue(Site site = Site::Here()) const {
        return Get<T>(site);
    }
    template <typename T>
    void FreeTensor(const LocalTensor<T>&) const {}
    uint32_t GetBufLen() const { return length_; }

    // Internal: called by InitBuffer of the pipe and of pools.
    void Attach(uint32_t address, uint32_t length) {
        address_ = address;
        length_ = length;
    }

    void InitStartBufHandle(TBufHandle, uint8_t, uint32_t len) { length_ = len; }
    template <typename P>
    void InitBufHandle(P*, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len) {
        Attach(curPoolAddr, len);
    }

private:
    template <typename T>
    LocalTensor<T> View(uint32_t offset, uint32_t bytes, Site site) const {
        if (uint64_t(offset) + bytes > length_) {
            sktwin::Fault("local-memory-size", site, "Get of bytes [%u, %llu) of a TBuf of %u bytes%s", offset,
                          static_cast<unsigned long long>(offset) + bytes, length_,
                          length_ == 0 ? "; call TPipe::InitBuffer first" : "");
        }
        TBuffAddr address;
        address.bufferAddr = address_ + offset;
        address.dataLen = bytes;
        address.logicPos = static_cast<uint8_t>(position);
        return LocalTensor<T>(address);
    }

    uint32_t address_ = 0;
    uint32_t length_ = 0;
};

// Gives out a part of a position's memory, which several phases of a kernel may use one after the other.
template <TPosition position, uint32_t bufIDSize = 4>
class TBufPool {
public:
    using Site = sktwin::Site;
    static constexpr TPosition kPosition = position;

    template <typename Q>
    bool InitBuffer(Q& queue, uint8_t num, uint32_t length, Site site = Site::Here()) {
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        detail::QueueBlock* blocks = GetTPipePtr()->TakeBlocks(num, site);
        const uint32_t start = Take(num * bytes, site);
        for (uint8_t i = 0; i < num; ++i) {
            blocks[i] = {start + i * bytes, bytes, detail::BlockState::kFree, 0};
        }
        queue.Attach(blocks, num);
        return true;
    }
    template <typename B>
    bool InitBuffer(B& buffer, uint32_t length, Site site = Site::Here()) {
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        buffer.Attach(Take(bytes, site), bytes);
        return true;
    }
    template <typename P>
    bool InitBufPool(P& pool, uint32_t length, Site site = Site::Here()) {
        const uint32_t bytes = AlignUp(length, ONE_BLK_SIZE);
        pool.Attach(Take(bytes, site), bytes);
        return true;
    }
    template <typename P, typename S>
    bool InitBufPool(P& pool, uint32_t length, S& shared, Site = Site::Here()) {
        pool.Attach(shared.Start(), AlignUp(length, ONE_BLK_SIZE));
        return true;
    }
    void Reset() { used_ = 0; }

    // Internal.
    void Attach(uint32_t start, uint32_t length) {
        start_ = start;
        length_ = length;
        used_ = 0;
    }
    uint32_t Start() const { return start_; }

private:
    uint32_t Take(uint32_t bytes, Site site) {
        if (uint64_t(used_) + bytes > length_) {
            sktwin::Fault("local-memory-size", site, "InitBuffer asks a TBufPool of %u bytes for %u, and %u are left",
                          length_, bytes, length_ - used_);
        }
        used_ += bytes;
        return start_ + used_ - bytes;
    }

    uint32_t start_ = 0;
    uint32_t length_ = 0;
    uint32_t used_ = 0;
};

// What a kernel's own pool has, by the macro below: blocks, and the first address that it has not given out.
template <TPosition position, uint32_t bufIDSize>
class CustomBufPool {
public:
    static constexpr TPosition kPosition = position;

    void Init() {
        current_ = start_;
        used_ = 0;
    }
    void Reset() { Init(); }
    TBufHandle GetBufHandle(uint8_t offset, sktwin::Site site) {
        if (offset >= bufIDSize) {
            sktwin::Fault("pipe-blocks", site, "GetBufHandle(%u) of a pool of %u blocks", offset, bufIDSize);
        }
        return reinterpret_cast<TBufHandle>(blocks_ + offset);
    }
    uint32_t GetCurAddr() const { return current_; }
    void SetCurAddr(uint32_t address, sktwin::Site site) {
        if (address > start_ + length_) {
            sktwin::Fault("local-memory-size", site, "SetCurAddr(%u) of a pool of bytes [%u, %u)", address, start_,
                          start_ + length_);
        }
        current_ = address;
    }
    uint8_t GetCurBufSize() const { return used_; }
    void SetCurBufSize(uint8_t used) { used_ = used; }
    void Attach(uint32_t start, uint32_t length) {
        start_ = start;
        length_ = length;
        Init();
    }
    uint32_t Start() const { return start_; }

private:
    detail::QueueBlock blocks_[bufIDSize];
    uint32_t start_ = 0;
    uint32_t length_ = 0;
    uint32_t current_ = 0;
    uint8_t used_ = 0;
};

// For kernels without a TPipe ("static tensor programming"): a bump pointer that never frees and never rounds.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
public:
    using Site = sktwin::Site;

    uint32_t GetCurAddr() const { return head_; }

    template <TPosition position, typename T, uint32_t tileSize>
    LocalTensor<T> Alloc(Site site = Site::Here()) {
        return Alloc<position, T>(tileSize, site);
    }
    template <typename T, uint32_t tileSize>
    LocalTensor<T> Alloc(Site site = Site::Here()) {
        return Alloc<sktwin::PositionOf(hard), T>(tileSize, site);
    }
    template <TPosition position, typename T>
    LocalTensor<T> Alloc(uint32_t tileSize, Site site = Site::Here()) {
        static_assert(sktwin::MemoryOf(position) == sktwin::MemoryOf(sktwin::PositionOf(hard)),
                      "LocalMemAllocator::Alloc: the position lies in another memory than the allocator's");
        const uint32_t start = head_;
        head_ += static_cast<uint32_t>(sktwin::BytesOf<T>(tileSize));
        return LocalTensor<T>(position, start, tileSize, site);
    }
    template <typename T>
    LocalTensor<T> Alloc(uint32_t tileSize, Site site = Site::Here()) {
        return Alloc<sktwin::PositionOf(hard), T>(tileSize, site);
    }

private:
    uint32_t head_ = 0;
};

}  // namespace AscendC

// Makes the class around it a pool that TPipe::InitBufPool takes.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                         \
public:                                                                                                \
    static constexpr ::AscendC::TPosition kPosition = POSITION;                                        \
    void Init() { sktwinPool.Init(); }                                                                 \
    void Reset() { sktwinPool.Reset(); }                                                               \
    ::AscendC::TBufHandle GetBufHandle(uint8_t offset, ::sktwin::Site site = ::sktwin::Site::Here()) { \
        return sktwinPool.GetBufHandle(offset, site);                                                  \
    }                                                                                                  \
    uint32_t GetCurAddr() const { return sktwinPool.GetCurAddr(); }                                    \
    void SetCurAddr(uint32_t address, ::sktwin::Site site = ::sktwin::Site::Here()) {                  \
        sktwinPool.SetCurAddr(address, site);                                                          \
    }                                                                                                  \
    uint8_t GetCurBufSize() const { return sktwinPool.GetCurBufSize(); }                               \
    void SetCurBufSize(uint8_t used) { sktwinPool.SetCurBufSize(used); }                               \
    void Attach(uint32_t start, uint32_t length) { sktwinPool.Attach(start, length); }                 \
    uint32_t Start() const { return sktwinPool.Start(); }                                              \
                                                                                                       \
private:                                                                                               \
    ::AscendC::CustomBufPool<POSITION, BUFID_SIZE> sktwinPool
