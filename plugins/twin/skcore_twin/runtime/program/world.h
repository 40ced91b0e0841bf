// Licensed under the Apache License, Version 2.0.
//
// The device as a whole program sees it: contexts, streams with the work that waits in them, and memory. There is one
// a process, guarded by one lock; a launch runs on the thread that waits for it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../device.h"
#define SKTWIN_PLATFORM_OF_RUNTIME
#include "sktwin/platform.h"
#include "sktwin/program_request.h"
#include "sktwin/program_target.h"

namespace sktwin::program {

// Exit code of a program that a fault of the device ends.
constexpr int kFaultExitCode = 86;

// One recording of an event: done when all that was in the stream before has run.
struct Recording {
    bool done = false;
    double milliseconds = 0;
};

struct Task {
    std::function<void()> run;
    std::shared_ptr<Recording> after;  // nullptr: it waits for nothing but its stream
    bool isLaunch = false;
};

struct Context;

struct Stream {
    Context* context;
    std::deque<Task> tasks;

    bool Ready() const { return !tasks.empty() && (tasks.front().after == nullptr || tasks.front().after->done); }
};

struct Event {
    uint32_t flags;
    bool resettable;  // made with flags, not by the Ex call
    std::shared_ptr<Recording> last;
};

struct Context {
    bool ownedByDevice;
    Stream defaultStream{this, {}};
    std::set<std::unique_ptr<Stream>> streams;
};

// Makes device memory usable by the host while one lives: outside, the host's own code must not touch it.
class DeviceAccess {
public:
    DeviceAccess();
    ~DeviceAccess();
    DeviceAccess(const DeviceAccess&) = delete;
    DeviceAccess& operator=(const DeviceAccess&) = delete;
};

class World : public runtime::Host {
public:
    std::recursive_mutex mutex;
    std::unique_ptr<runtime::Device> device;
    std::set<std::unique_ptr<Context>> contexts;
    Context* deviceContext = nullptr;  // nullptr: no device is set
    uint64_t deviceReferences = 0;
    std::set<std::unique_ptr<Event>> events;
    std::set<void*> deviceMemory;
    std::map<void*, size_t> hostMemory;
    uint64_t allocations = 0;
    uint64_t references = 0;  // of aclInit
    bool finalized = false;
    int accesses = 0;

    World();

    void Print(const runtime::CoreState& core, const char* text) override;
    [[noreturn]] void Stop(const std::string& check, const std::string& message,
                           const std::vector<runtime::CoreReport>& cores) override;
    void OnSignal(int number, const void* address) override;

    // Runs work of any stream, each time that of one that is ready, until `done`. False: nothing is ready any more.
    bool RunUntil(const std::function<bool()>& done);
    void Drain(const Stream& stream);
    // One task, for those who ask again and again whether work is done.
    void RunSome();
    void RunLaunch(const Request& request);

    // nullptr when the handle is none of them.
    Context* FindContext(const void* handle) const;
    Stream* FindStream(const void* handle) const;
    Event* FindEvent(const void* handle) const;

    void DestroyContext(Context* context);
    void FreeDeviceMemory();
    size_t WaitingLaunches() const;

private:
    Stream* AnyReady();
    void FlushPrinted();

    // By kind and block: what the cores of the launch have printed.
    std::map<std::pair<CoreKind, uint32_t>, std::string> printed_;
    const Request* running_ = nullptr;
};

World& TheWorld();

// The context of the calling thread; nullptr when it has none.
Context* CurrentContext();
void SetCurrentContext(Context* context);

}  // namespace sktwin::program
