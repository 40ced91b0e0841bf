// Licensed under the Apache License, Version 2.0.
#include "watchdog.h"

#include <sys/time.h>

#include <string>

namespace sktwin::runtime {

namespace {

constexpr uint32_t kTicks = 4;  // parts of the time that are looked at

struct Watchdog {
    Patience patience{0, 0};
    uint32_t unchanged = 0;  // ticks
    uint32_t ticks = 0;      // of this launch
    uint64_t epoch = 0;
};
Watchdog g_watchdog;

}  // namespace

void StartWatchdog(const Patience& patience) {
    g_watchdog.patience = patience;
    if (patience.seconds == 0) {
        return;
    }
    const uint64_t microseconds = uint64_t{patience.seconds} * 1000000 / kTicks;
    itimerval timer{};
    timer.it_interval.tv_sec = static_cast<time_t>(microseconds / 1000000);
    timer.it_interval.tv_usec = static_cast<suseconds_t>(microseconds % 1000000);
    timer.it_value = timer.it_interval;
    setitimer(ITIMER_PROF, &timer, nullptr);
}

void ResetWatchdog() {
    g_watchdog.unchanged = 0;
    g_watchdog.ticks = 0;
}

std::string WatchdogText(const Device& device) {
    Watchdog& dog = g_watchdog;
    const uint64_t epoch = device.scheduler.epoch();
    dog.unchanged = epoch == dog.epoch ? dog.unchanged + 1 : 0;
    dog.epoch = epoch;
    ++dog.ticks;
    const std::string advice =
        "; if the kernel needs that long, raise the limit with SKCORE_TWIN_PATIENCE (seconds of processor time, 0: none)";
    if (dog.unchanged >= kTicks) {
        return "for " + std::to_string(dog.patience.seconds) +
               " seconds of processor time no core has changed anything that another one could see: an endless loop" +
               advice;
    }
    if (uint64_t{dog.ticks} * dog.patience.seconds >= uint64_t{kTicks} * dog.patience.launchSeconds) {
        return "the launch has taken " + std::to_string(dog.patience.launchSeconds) +
               " seconds of processor time: an endless loop" + advice;
    }
    return "";
}

}  // namespace sktwin::runtime
