// Licensed under the Apache License, Version 2.0.
//
// Decides which core runs next. One core runs at a time; the order depends on the seed alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core_state.h"
#include "random.h"

namespace sktwin::runtime {

class Scheduler {
public:
    // Rounds of polling after which a core counts as stuck, when nobody has changed anything meanwhile.
    static constexpr uint32_t kStuckRounds = 2000;

    explicit Scheduler(Random* random) : random_(*random) {}

    // Called when no core can ever run again, with the core that noticed it; must not return.
    using StuckHandler = void (*)();
    void OnStuck(StuckHandler handler) { onStuck_ = handler; }

    // Bytes that belong to the running core and are exchanged at a switch; size 0: none.
    void SetBlockLocals(uint8_t* bytes, size_t size) {
        blockLocals_ = bytes;
        blockLocalBytes_ = size;
    }

    void Reset(size_t cores);
    void MakeRunnable(CoreState* core);
    // A finished core begins again.
    void Revive(CoreState* core);
    // From the main context: runs until every core has finished.
    void Run();

    CoreState* current() const { return current_; }
    uint64_t switches() const { return switches_; }
    bool running() const { return current_ != nullptr; }

    // A point where cores may interleave.
    void MaybeSwitch() {
        if (--countdown_ == 0) {
            SwitchByChance();
        }
    }
    // One round of a polling loop: always runs another core when one can run.
    void Poll(Site site);
    // The running core waits (its state says for what) until MakeRunnable.
    void Block();
    // The running core is done; returns only when it is revived.
    void Finish();

    // Something that another core could see has changed.
    void NoteActivity() {
        ++epoch_;
        stuck_ = 0;
    }
    // The running core read memory: a new address means that it gets on.
    void NoteRead(const void* address) {
        current_->polling.lastRead = address;
        if (current_->polling.rounds != 0) {
            ForgetRoundsIfNew(address);
        }
    }

private:
    void SwitchByChance();
    void SwitchTo(CoreState* next);
    void Remove(CoreState* core);
    CoreState* PickAny() { return runnable_[random_.Below(static_cast<uint32_t>(runnable_.size()))]; }
    void DrawCountdown() { countdown_ = 1 + random_.Below(2 * interval_ - 1); }
    void ForgetRoundsIfNew(const void* address);

    Random& random_;
    StuckHandler onStuck_ = nullptr;
    std::vector<CoreState*> runnable_;
    CoreState* current_ = nullptr;
    Context main_;
    size_t unfinished_ = 0;
    uint32_t interval_ = 8;
    uint32_t countdown_ = 1;
    uint64_t switches_ = 0;
    uint64_t epoch_ = 1;
    size_t stuck_ = 0;
    uint8_t* blockLocals_ = nullptr;
    size_t blockLocalBytes_ = 0;
};

}  // namespace sktwin::runtime
