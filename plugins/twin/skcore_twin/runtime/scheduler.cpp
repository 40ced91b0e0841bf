// Licensed under the Apache License, Version 2.0.
#include "scheduler.h"

#include <algorithm>
#include <cstring>

namespace sktwin::runtime {

void Scheduler::Reset(size_t cores) {
    queues_[0] = Queue{};
    queues_[1] = Queue{};
    current_ = nullptr;
    unfinished_ = cores;
    switches_ = 0;
    stuck_ = 0;
    ++epoch_;
    // Some launches run nearly one core after the other, some change at every chance: each finds other faults.
    constexpr uint32_t kIntervals[] = {1, 3, 8, 32};
    interval_ = kIntervals[random_.Below(4)];
    DrawCountdown();
}

void Scheduler::MakeRunnable(CoreState* core) {
    core->state = State::kRunnable;
    Add(core);
}

void Scheduler::Add(CoreState* core) {
    Queue& queue = QueueOf(core);
    core->runnableIndex = static_cast<uint32_t>(queue.cores.size());
    queue.cores.push_back(core);
}

void Scheduler::Revive(CoreState* core) {
    ++unfinished_;
    MakeRunnable(core);
}

void Scheduler::Remove(CoreState* core) {
    ForgetRounds(core);
    std::vector<CoreState*>& cores = QueueOf(core).cores;
    CoreState* last = cores.back();
    cores[core->runnableIndex] = last;
    last->runnableIndex = core->runnableIndex;
    cores.pop_back();
}

void Scheduler::ForgetRounds(CoreState* core) {
    Polling& polling = core->polling;
    if (polling.epoch == epoch_) {
        stuck_ -= polling.rounds >= kStuckRounds ? 1 : 0;
        QueueOf(core).idle -= polling.rounds >= kIdleRounds ? 1 : 0;
    }
    polling.rounds = 0;
}

void Scheduler::HoldCurrent() {
    Remove(current_);
    current_->held = true;
    Add(current_);
    CheckIdle();
    SwitchTo(PickAny());
}

CoreState* Scheduler::PickAny() {
    const Queue& free = queues_[0];
    const Queue& held = queues_[1];
    if (held.cores.empty() || !free.IsIdle()) {
        return AnyOf(free);
    }
    // Before the run is given up each of them polls on.
    return held.IsIdle() && !free.cores.empty() && random_.Below(2) == 0 ? AnyOf(free) : AnyOf(held);
}

CoreState* Scheduler::PickOther() {
    const std::vector<CoreState*>& cores = queues_[0].cores;
    if (!queues_[1].cores.empty()) {
        return PickAny();
    }
    const auto others = static_cast<uint32_t>(cores.size() - 1);
    return others == 0 ? current_ : cores[(current_->runnableIndex + 1 + random_.Below(others)) % cores.size()];
}

void Scheduler::GiveOutsideAChance() {
    if (onChance_ != nullptr && onChance_()) {
        NoteActivity();
    }
}

void Scheduler::CheckIdle() {
    while (queues_[0].IsIdle()) {
        const bool stuck = stuck_ == Runnable();
        if (onIdle_ != nullptr && onIdle_(stuck)) {
            NoteActivity();
            continue;
        }
        if (stuck) {
            onStuck_();
        }
        return;
    }
}

void Scheduler::Run() {
    current_ = PickAny();
    if (blockLocalBytes_ != 0) {
        std::memcpy(blockLocals_, current_->blockLocals.data(), blockLocalBytes_);
    }
    SwitchContext(&main_, &current_->fiber.context());
    current_ = nullptr;
}

void Scheduler::SwitchTo(CoreState* next) {
    CoreState* previous = current_;
    if (next == previous) {
        return;
    }
    ++switches_;
    current_ = next;
    if (next->held) {
        // Whenever it has changed something, the others come first again.
        countdown_ = 1;
    }
    if (blockLocalBytes_ != 0) {
        std::memcpy(previous->blockLocals.data(), blockLocals_, blockLocalBytes_);
        std::memcpy(blockLocals_, next->blockLocals.data(), blockLocalBytes_);
    }
    SwitchContext(&previous->fiber.context(), &next->fiber.context());
}

void Scheduler::SwitchByChance() {
    GiveOutsideAChance();
    DrawCountdown();
    if (current_->held) {
        countdown_ = 1;
    }
    SwitchTo(PickAny());
}

void Scheduler::Poll(Site site) {
    GiveOutsideAChance();
    Polling& polling = current_->polling;
    polling.site = site;
    if (polling.epoch != epoch_) {
        polling.epoch = epoch_;
        polling.rounds = 0;
    }
    ++polling.rounds;
    QueueOf(current_).idle += polling.rounds == kIdleRounds ? 1 : 0;
    stuck_ += polling.rounds == kStuckRounds ? 1 : 0;
    CheckIdle();
    SwitchTo(PickOther());
}

void Scheduler::ForgetRoundsIfNew(const void* address) {
    Polling& polling = current_->polling;
    if (std::find(std::begin(polling.seen), std::end(polling.seen), address) != std::end(polling.seen)) {
        return;
    }
    polling.seen[polling.nextSeen] = address;
    polling.nextSeen = (polling.nextSeen + 1) % Polling::kRemembered;
    ForgetRounds(current_);
}

void Scheduler::Block() {
    Remove(current_);
    GiveOutsideAChance();
    // Fewer cores can run now: those left may all be stuck already.
    CheckIdle();
    SwitchTo(PickAny());
}

void Scheduler::Finish() {
    current_->state = State::kFinished;
    Remove(current_);
    NoteActivity();
    if (--unfinished_ == 0) {
        SwitchContext(&current_->fiber.context(), &main_);
        return;
    }
    CheckIdle();
    SwitchTo(PickAny());
}

}  // namespace sktwin::runtime
