// Licensed under the Apache License, Version 2.0.
#include "scheduler.h"

#include <algorithm>
#include <cstring>

namespace sktwin::runtime {

void Scheduler::Reset(size_t cores) {
    runnable_.clear();
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
    core->runnableIndex = static_cast<uint32_t>(runnable_.size());
    runnable_.push_back(core);
}

void Scheduler::Revive(CoreState* core) {
    ++unfinished_;
    MakeRunnable(core);
}

void Scheduler::Remove(CoreState* core) {
    CoreState* last = runnable_.back();
    runnable_[core->runnableIndex] = last;
    last->runnableIndex = core->runnableIndex;
    runnable_.pop_back();
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
    if (blockLocalBytes_ != 0) {
        std::memcpy(previous->blockLocals.data(), blockLocals_, blockLocalBytes_);
        std::memcpy(blockLocals_, next->blockLocals.data(), blockLocalBytes_);
    }
    SwitchContext(&previous->fiber.context(), &next->fiber.context());
}

void Scheduler::SwitchByChance() {
    DrawCountdown();
    SwitchTo(PickAny());
}

void Scheduler::Poll(Site site) {
    Polling& polling = current_->polling;
    polling.site = site;
    if (polling.epoch != epoch_) {
        polling.epoch = epoch_;
        polling.rounds = 0;
    }
    if (++polling.rounds == kStuckRounds && ++stuck_ == runnable_.size()) {
        onStuck_();
    }
    const auto others = static_cast<uint32_t>(runnable_.size() - 1);
    if (others == 0) {
        return;
    }
    const uint32_t step = 1 + random_.Below(others);
    SwitchTo(runnable_[(current_->runnableIndex + step) % runnable_.size()]);
}

void Scheduler::ForgetRoundsIfNew(const void* address) {
    Polling& polling = current_->polling;
    if (std::find(std::begin(polling.seen), std::end(polling.seen), address) != std::end(polling.seen)) {
        return;
    }
    polling.seen[polling.nextSeen] = address;
    polling.nextSeen = (polling.nextSeen + 1) % Polling::kRemembered;
    if (polling.epoch == epoch_ && polling.rounds >= kStuckRounds) {
        --stuck_;
    }
    polling.rounds = 0;
}

void Scheduler::Block() {
    Remove(current_);
    Polling& polling = current_->polling;
    if (polling.epoch == epoch_ && polling.rounds >= kStuckRounds) {
        --stuck_;
    }
    polling.rounds = 0;
    // Fewer cores can run now: those left may all be stuck already.
    if (runnable_.size() <= stuck_) {
        onStuck_();
    }
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
    if (runnable_.empty()) {
        onStuck_();
    }
    SwitchTo(PickAny());
}

}  // namespace sktwin::runtime
