// Licensed under the Apache License, Version 2.0.
#include "world.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "../hang.h"
#include "../report.h"
#include "../signals.h"
#include "../watchdog.h"

namespace sktwin::program {

using runtime::Device;
using runtime::Index;

namespace {

thread_local Context* t_current = nullptr;

uint64_t SeedOfRun() {
    const char* text = std::getenv("SKCORE_TWIN_SEED");
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

runtime::Job ReadTarget() {
    std::vector<runtime::Problem> problems;
    std::istringstream statements(std::string("sktwin 1\n") + sktwin_program_target.statements);
    runtime::Job job = runtime::ReadJob(statements, &problems);
    for (const runtime::Problem& problem : problems) {
        std::fprintf(stderr, "skcore twin: the program's target: %s\n", problem.text.c_str());
    }
    if (!problems.empty()) {
        _exit(kFaultExitCode);
    }
    job.seed = SeedOfRun();
    return job;
}

// At exit: work that nobody waited for has not been done, on a device it may or may not have been.
void TellWaitingLaunches() {
    const size_t launches = TheWorld().WaitingLaunches();
    if (launches != 0) {
        std::fprintf(stderr,
                     "skcore twin: %zu launches have not run: the program ends without waiting for their streams; call "
                     "aclrtSynchronizeStream\n",
                     launches);
    }
}

template <typename T>
T* Find(const std::set<std::unique_ptr<T>>& all, const void* handle) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.get() == handle; });
    return found == all.end() ? nullptr : found->get();
}

runtime::LaunchSpec SpecOf(const Request& request) {
    runtime::LaunchSpec spec;
    spec.label = request.kernel;
    spec.symbol[Index(CoreKind::kAic)] = request.aic == nullptr ? "" : request.kernel;
    spec.symbol[Index(CoreKind::kAiv)] = request.aiv == nullptr ? "" : request.kernel;
    spec.ratio = request.type == Type::kMixAic11 ? 1 : request.type == Type::kMixAic12 ? 2 : 0;
    spec.blocks = static_cast<uint32_t>(request.blocks);
    spec.sync = request.type != Type::kAicOnly && request.type != Type::kAivOnly;
    return spec;
}

}  // namespace

World& TheWorld() {
    // Never destroyed: threads and exit handlers of the program may still use it.
    static World* world = new World;
    return *world;
}

Context* CurrentContext() {
    World& world = TheWorld();
    return t_current != nullptr && world.FindContext(t_current) != nullptr ? t_current : nullptr;
}

void SetCurrentContext(Context* context) { t_current = context; }

DeviceAccess::DeviceAccess() {
    World& world = TheWorld();
    if (world.accesses++ == 0) {
        world.device->memory.Open(true);
    }
}

DeviceAccess::~DeviceAccess() {
    World& world = TheWorld();
    if (--world.accesses == 0) {
        world.device->memory.Open(false);
    }
}

World::World() : device(std::make_unique<Device>(ReadTarget())) {
    device->host = this;
    device->MakeLocalMemories();
    device->scheduler.OnStuck(&runtime::StopWithHang);
    runtime::SetDevice(device.get());
    runtime::CatchSignals();
    runtime::StartWatchdog(device->job.patience);
    std::atexit(&TellWaitingLaunches);
}

void World::Print(const runtime::CoreState& core, const char* text) {
    printed_[{core.core.kind, runtime::BlockIndex(core)}] += text;
}

void World::FlushPrinted() {
    for (const auto& [core, text] : printed_) {
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
    printed_.clear();
    std::fflush(stdout);
}

void World::Stop(const std::string& check, const std::string& message,
                 const std::vector<runtime::CoreReport>&) {
    FlushPrinted();
    std::string where;
    if (running_ != nullptr) {
        where = std::string(" in ") + running_->kernel + ", launched at " + runtime::SiteText(running_->site);
    }
    std::fprintf(stderr, "skcore twin: %s%s\n%s\n", check.c_str(), where.c_str(), message.c_str());
    std::fflush(stderr);
    _exit(kFaultExitCode);
}

void World::OnSignal(int, const void* address) {
    if (address == nullptr) {
        return;
    }
    const std::string place = device->memory.Describe(address);
    if (device->memory.Find(address, 1) != nullptr || device->memory.IsFreed(address)) {
        Stop("host-access", "host code touches device memory, which it can reach only by aclrtMemcpy: " + place, {});
    }
}

Stream* World::AnyReady() {
    std::vector<Stream*> ready;
    for (const auto& context : contexts) {
        if (context->defaultStream.Ready()) {
            ready.push_back(&context->defaultStream);
        }
        for (const auto& stream : context->streams) {
            if (stream->Ready()) {
                ready.push_back(stream.get());
            }
        }
    }
    return ready.empty() ? nullptr : ready[device->random.Below(static_cast<uint32_t>(ready.size()))];
}

bool World::RunUntil(const std::function<bool()>& done) {
    while (!done()) {
        Stream* stream = AnyReady();
        if (stream == nullptr) {
            return false;
        }
        const Task task = std::move(stream->tasks.front());
        stream->tasks.pop_front();
        task.run();
    }
    return true;
}

void World::Drain(const Stream& stream) {
    if (!RunUntil([&] { return stream.tasks.empty(); })) {
        Stop("hang", "a stream waits for an event whose recording aclrtDestroyStreamForce has dropped", {});
    }
}

void World::RunSome() {
    bool ran = false;
    RunUntil([&] { return std::exchange(ran, true); });
}

void World::RunLaunch(const Request& request) {
    const runtime::LaunchSpec spec = SpecOf(request);
    const DeviceAccess access;
    runtime::GiveSignalStack();
    const Start code = request.aic != nullptr ? request.aic : request.aiv;
    const runtime::Module module = runtime::Module::Holding(reinterpret_cast<const void*>(code));
    running_ = &request;
    runtime::RunLaunch(device.get(), spec, {{request.aic, request.aiv}, &module},
                       static_cast<uint64_t*>(request.arguments));
    running_ = nullptr;
    // The cores' variables lie where the host's own of this thread do.
    std::copy(module.initial.begin(), module.initial.end(), module.blockLocals);
    device->launch.spec = nullptr;
    FlushPrinted();
}

Context* World::FindContext(const void* handle) const { return Find(contexts, handle); }

Stream* World::FindStream(const void* handle) const {
    for (const auto& context : contexts) {
        if (Stream* found = Find(context->streams, handle)) {
            return found;
        }
    }
    return nullptr;
}

Event* World::FindEvent(const void* handle) const { return Find(events, handle); }

void World::DestroyContext(Context* context) {
    RunUntil([&] {
        return context->defaultStream.tasks.empty() &&
               std::all_of(context->streams.begin(), context->streams.end(),
                           [](const auto& stream) { return stream->tasks.empty(); });
    });
    contexts.erase(std::find_if(contexts.begin(), contexts.end(),
                                [&](const auto& each) { return each.get() == context; }));
}

size_t World::WaitingLaunches() const {
    size_t count = 0;
    const auto add = [&](const Stream& stream) {
        count += static_cast<size_t>(
            std::count_if(stream.tasks.begin(), stream.tasks.end(), [](const Task& task) { return task.isLaunch; }));
    };
    for (const auto& context : contexts) {
        add(context->defaultStream);
        for (const auto& stream : context->streams) {
            add(*stream);
        }
    }
    return count;
}

void Enqueue(const Request& request) {
    World& world = TheWorld();
    const std::lock_guard<std::recursive_mutex> lock(world.mutex);
    const std::shared_ptr<void> arguments(request.arguments, request.destroy);
    const std::string what = std::string("the launch of ") + request.kernel + " at " + runtime::SiteText(request.site);
    Context* context = CurrentContext();
    if (context == nullptr) {
        world.Stop("launch", what + " has no device: call aclrtSetDevice before", {});
    }
    constexpr int64_t kMostBlocks = 65535;
    if (request.blocks < 1 || request.blocks > kMostBlocks) {
        world.Stop("launch", what + " asks for " + std::to_string(request.blocks) + " blocks; 1 to 65535 are possible",
                   {});
    }
    Stream* stream = request.stream == nullptr ? &context->defaultStream : world.FindStream(request.stream);
    if (stream == nullptr) {
        world.Stop("launch", what + " names a stream that does not exist, or no longer", {});
    }
    stream->tasks.push_back({[&world, request, arguments] { world.RunLaunch(request); }, nullptr, true});
}

}  // namespace sktwin::program

namespace sktwin {

const Platform& ThePlatform() {
    using runtime::Index;
    static const Platform platform = [] {
        const program::TargetInfo& info = sktwin_program_target;
        const runtime::TargetSpec& target = program::TheWorld().device->job.target;
        const auto size = [&](CoreKind kind, Memory memory) {
            return static_cast<uint64_t>(target.localSize[Index(kind)][static_cast<size_t>(memory)]);
        };
        Platform chosen = kPlatformOfChip;  // for what the target does not tell: bandwidths
        chosen.arch = info.arch;
        chosen.soc = info.soc;
        chosen.aicCores = target.cores[Index(CoreKind::kAic)];
        chosen.aivCores = target.cores[Index(CoreKind::kAiv)];
        chosen.l0a = size(CoreKind::kAic, Memory::kL0a);
        chosen.l0b = size(CoreKind::kAic, Memory::kL0b);
        chosen.l0c = size(CoreKind::kAic, Memory::kL0c);
        chosen.l1 = size(CoreKind::kAic, Memory::kL1);
        chosen.l2 = info.l2Bytes;
        chosen.ub = size(CoreKind::kAiv, Memory::kUb);
        chosen.hbm = info.memoryBytes;
        chosen.fixpipe = size(CoreKind::kAic, Memory::kFixpipe);
        chosen.bias = size(CoreKind::kAic, Memory::kBias);
        return chosen;
    }();
    return platform;
}

}  // namespace sktwin

// What printf of the objects of cores is renamed to: a kernel that calls it without a namespace means the device's.
extern "C" __attribute__((format(printf, 1, 2))) int sktwin_core_printf(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    sktwin::program::World& world = sktwin::program::TheWorld();
    const sktwin::runtime::CoreState* state = world.device->scheduler.current();
    int written = 0;
    if (state == nullptr) {
        written = std::vprintf(format, arguments);
    } else {
        char text[2048];
        const sktwin::Core& core = state->core;
        const uint32_t perBlock = core.kind == sktwin::CoreKind::kAiv ? core.subBlockDim : 1;
        const int head = std::snprintf(text, sizeof(text), "[%s Block %u/%u] ", sktwin::runtime::KindName(core.kind),
                                       sktwin::runtime::BlockIndex(*state), core.blockNum * perBlock);
        written = std::vsnprintf(text + head, sizeof(text) - static_cast<size_t>(head), format, arguments);
        world.Print(*state, text);
    }
    va_end(arguments);
    return written;
}
