// Licensed under the Apache License, Version 2.0.
//
// Decides which core runs next. One core runs at a time; the order depends on the seed alone.
//
// A held core runs only where all others have finished, are blocked, or poll what nobody changes. What is outside of
// the device acts by itself at any chance, or where the cores that are not held get on no more.
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
    // The same where it only means that held cores get their turn: more than the addresses that a core remembers.
    static constexpr uint32_t kIdleRounds = 2 * Polling::kRemembered;

    explicit Scheduler(Random* random) : random_(*random) {}

    // Called when no core can ever run again, with the core that noticed it; must not return.
    using StuckHandler = void (*)();
    void OnStuck(StuckHandler handler) { onStuck_ = handler; }

    // What is outside: called at each chance, and where the cores get on no more (`stuck`: where the run would be given
    // up). They say whether they have changed something. nullptr: there is nothing outside.
    using Chance = bool (*)();
    using Idle = bool (*)(bool stuck);
    void OnOutside(Chance chance, Idle idle) {
        onChance_ = chance;
        onIdle_ = idle;
    }

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
    // Grows whenever something that another core could see changes.
    uint64_t epoch() const { return epoch_; }
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
    // From now on the running core is a held one.
    void HoldCurrent();

    // Something that another core could see has changed.
    void NoteActivity() {
        ++epoch_;
        stuck_ = 0;
        queues_[0].idle = 0;
        queues_[1].idle = 0;
    }
    // The running core read memory: a new address means that it gets on.
    void NoteRead(const void* address) {
        current_->polling.lastRead = address;
        if (current_->polling.rounds != 0) {
            ForgetRoundsIfNew(address);
        }
    }

private:
    // Cores that can run, and how many of them only poll.
    struct Queue {
        std::vector<CoreState*> cores;
        size_t idle = 0;

        bool IsIdle() const { return idle == cores.size(); }
    };

    Queue& QueueOf(const CoreState* core) { return queues_[core->held ? 1 : 0]; }
    size_t Runnable() const { return queues_[0].cores.size() + queues_[1].cores.size(); }
    void Add(CoreState* core);
    void SwitchByChance();
    void SwitchTo(CoreState* next);
    void Remove(CoreState* core);
    void ForgetRounds(CoreState* core);
    void GiveOutsideAChance();
    // Nobody but held cores gets on: lets the outside act, and gives up when held cores do not get on either.
    void CheckIdle();
    CoreState* AnyOf(const Queue& queue) {
        return queue.cores[random_.Below(static_cast<uint32_t>(queue.cores.size()))];
    }
    CoreState* PickAny();
    CoreState* PickOther();
    void DrawCountdown() { countdown_ = 1 + random_.Below(2 * interval_ - 1); }
    void ForgetRoundsIfNew(const void* address);

    Random& random_;
    StuckHandler onStuck_ = nullptr;
    Chance onChance_ = nullptr;
    Idle onIdle_ = nullptr;
    Queue queues_[2];  // the held cores are the second
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
