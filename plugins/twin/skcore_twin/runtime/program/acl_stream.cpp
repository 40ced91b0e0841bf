// Licensed under the Apache License, Version 2.0.
//
// Streams and events.
#include <algorithm>
#include <chrono>

#include "errors.h"

using namespace sktwin::program;

namespace {

// The stream that a handle names, the default one for a null handle; `error` says why there is none.
Stream* StreamOf(const char* call, aclrtStream handle, aclError* error) {
    World& world = TheWorld();
    Context* context = CurrentContext();
    if (context == nullptr) {
        *error = Refuse(ACL_ERROR_RT_CONTEXT_NULL,
                        std::string(call) + ": the thread has no device; call aclrtSetDevice");
        return nullptr;
    }
    Stream* stream = handle == nullptr ? &context->defaultStream : world.FindStream(handle);
    if (stream == nullptr) {
        *error = Refuse(ACL_ERROR_RT_INVALID_HANDLE,
                        std::string(call) + ": there is no such stream, or no longer");
    } else if (stream->context != context) {
        *error = Refuse(ACL_ERROR_RT_STREAM_CONTEXT, std::string(call) + ": the stream belongs to another context");
        stream = nullptr;
    }
    return stream;
}

Event* EventOf(const char* call, aclrtEvent handle, aclError* error) {
    Event* event = TheWorld().FindEvent(handle);
    if (event == nullptr) {
        *error = handle == nullptr
                     ? Refuse(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + ": the event is null")
                     : Refuse(ACL_ERROR_RT_INVALID_HANDLE, std::string(call) + ": there is no such event, or no longer");
    }
    return event;
}

double Milliseconds() {
    using Unit = std::chrono::duration<double, std::milli>;
    return Unit(std::chrono::steady_clock::now().time_since_epoch()).count();
}

aclError MakeEvent(const char* call, aclrtEvent* event, uint32_t flags, bool resettable) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (event == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + ": the pointer is null");
    }
    if (CurrentContext() == nullptr) {
        return Refuse(ACL_ERROR_RT_CONTEXT_NULL, std::string(call) + ": the thread has no device");
    }
    auto made = std::make_unique<Event>(Event{flags, resettable, nullptr});
    *event = world.events.insert(std::move(made)).first->get();
    return ACL_SUCCESS;
}

aclError MakeStream(const char* call, aclrtStream* stream) {
    const Lock lock(TheWorld().mutex);
    if (stream == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + ": the pointer is null");
    }
    Context* context = CurrentContext();
    if (context == nullptr) {
        return Refuse(ACL_ERROR_RT_CONTEXT_NULL, std::string(call) + ": the thread has no device");
    }
    *stream = context->streams.insert(std::make_unique<Stream>(Stream{context, {}})).first->get();
    return ACL_SUCCESS;
}

aclError Destroy(const char* call, aclrtStream handle, bool drop) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (handle == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, std::string(call) + ": the stream is null");
    }
    aclError error = ACL_SUCCESS;
    Stream* stream = StreamOf(call, handle, &error);
    if (stream == nullptr) {
        return error;
    }
    if (!drop) {
        world.Drain(*stream);
    }
    auto& streams = stream->context->streams;
    streams.erase(
        std::find_if(streams.begin(), streams.end(), [&](const auto& each) { return each.get() == stream; }));
    return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) { return MakeStream("aclrtCreateStream", stream); }

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return MakeStream("aclrtCreateStreamWithConfig", stream);
}

aclError aclrtDestroyStream(aclrtStream stream) { return Destroy("aclrtDestroyStream", stream, false); }

aclError aclrtDestroyStreamForce(aclrtStream stream) { return Destroy("aclrtDestroyStreamForce", stream, true); }

aclError aclrtSynchronizeStream(aclrtStream handle) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    aclError error = ACL_SUCCESS;
    const Stream* stream = StreamOf("aclrtSynchronizeStream", handle, &error);
    if (stream != nullptr) {
        world.Drain(*stream);
    }
    return error;
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) { return aclrtSynchronizeStream(stream); }

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (status == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamQuery: the pointer is null");
    }
    aclError error = ACL_SUCCESS;
    const Stream* stream = StreamOf("aclrtStreamQuery", handle, &error);
    if (stream != nullptr) {
        *status = stream->tasks.empty() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        world.RunSome();
    }
    return error;
}

aclError aclrtCreateEvent(aclrtEvent* event) { return MakeEvent("aclrtCreateEvent", event, ACL_EVENT_SYNC, true); }

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    return MakeEvent("aclrtCreateEventWithFlag", event, flag, true);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    return MakeEvent("aclrtCreateEventExWithFlag", event, flag | ACL_EVENT_SYNC, false);
}

aclError aclrtDestroyEvent(aclrtEvent handle) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    aclError error = ACL_SUCCESS;
    const Event* event = EventOf("aclrtDestroyEvent", handle, &error);
    if (event != nullptr) {
        world.events.erase(std::find_if(world.events.begin(), world.events.end(),
                                        [&](const auto& each) { return each.get() == event; }));
    }
    return error;
}

aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream streamHandle) {
    const Lock lock(TheWorld().mutex);
    aclError error = ACL_SUCCESS;
    Event* event = EventOf("aclrtRecordEvent", handle, &error);
    Stream* stream = event == nullptr ? nullptr : StreamOf("aclrtRecordEvent", streamHandle, &error);
    if (stream != nullptr) {
        auto recording = std::make_shared<Recording>();
        event->last = recording;
        stream->tasks.push_back({[recording] {
                                     recording->done = true;
                                     recording->milliseconds = Milliseconds();
                                 },
                                 nullptr});
    }
    return error;
}

aclError aclrtStreamWaitEvent(aclrtStream streamHandle, aclrtEvent handle) {
    const Lock lock(TheWorld().mutex);
    aclError error = ACL_SUCCESS;
    const Event* event = EventOf("aclrtStreamWaitEvent", handle, &error);
    Stream* stream = event == nullptr ? nullptr : StreamOf("aclrtStreamWaitEvent", streamHandle, &error);
    if (stream == nullptr) {
        return error;
    }
    if ((event->flags & ACL_EVENT_SYNC) == 0) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamWaitEvent: the event was made without ACL_EVENT_SYNC");
    }
    if (event->last != nullptr) {
        stream->tasks.push_back({[] {}, event->last});
    }
    return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent handle, aclrtStream streamHandle) {
    const Lock lock(TheWorld().mutex);
    aclError error = ACL_SUCCESS;
    Event* event = EventOf("aclrtResetEvent", handle, &error);
    const Stream* stream = event == nullptr ? nullptr : StreamOf("aclrtResetEvent", streamHandle, &error);
    if (stream == nullptr) {
        return error;
    }
    if (!event->resettable || (event->flags & ACL_EVENT_SYNC) == 0) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtResetEvent: the event is of a kind that cannot be reset");
    }
    event->last = nullptr;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent handle) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    aclError error = ACL_SUCCESS;
    const Event* event = EventOf("aclrtSynchronizeEvent", handle, &error);
    if (event != nullptr && event->last != nullptr) {
        const std::shared_ptr<Recording> recording = event->last;
        world.RunUntil([&] { return recording->done; });
    }
    return error;
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t) { return aclrtSynchronizeEvent(event); }

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (status == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtQueryEventStatus: the pointer is null");
    }
    aclError error = ACL_SUCCESS;
    const Event* event = EventOf("aclrtQueryEventStatus", handle, &error);
    if (event != nullptr) {
        const bool done = event->last == nullptr || event->last->done;
        *status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        world.RunSome();
    }
    return error;
}

aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent startHandle, aclrtEvent endHandle) {
    const Lock lock(TheWorld().mutex);
    if (milliseconds == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtEventElapsedTime: the pointer is null");
    }
    aclError error = ACL_SUCCESS;
    const Event* start = EventOf("aclrtEventElapsedTime", startHandle, &error);
    const Event* end = start == nullptr ? nullptr : EventOf("aclrtEventElapsedTime", endHandle, &error);
    if (end == nullptr) {
        return error;
    }
    for (const Event* event : {start, end}) {
        if (event->last == nullptr || !event->last->done) {
            return Refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                          "aclrtEventElapsedTime: an event has not been recorded, or its stream is not there yet");
        }
    }
    *milliseconds = static_cast<float>(end->last->milliseconds - start->last->milliseconds);
    return ACL_SUCCESS;
}

}  // extern "C"
