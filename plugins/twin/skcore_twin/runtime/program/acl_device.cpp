// Licensed under the Apache License, Version 2.0.
//
// Devices and contexts.
#include <algorithm>

#include "errors.h"

using namespace sktwin::program;

namespace {

aclError NoDevice(const char* call) {
    return Refuse(ACL_ERROR_RT_CONTEXT_NULL, std::string(call) + ": the thread has no device; call aclrtSetDevice");
}

aclError UnknownDevice(const char* call, int64_t device) {
    return Refuse(ACL_ERROR_RT_INVALID_DEVICEID,
                  std::string(call) + ": there is no device " + std::to_string(device) + "; the twin has device 0");
}

// All work is done or dropped with its streams, and the memory goes with the device.
void LeaveDevice(World* world) {
    world->deviceReferences = 0;
    while (!world->contexts.empty()) {
        world->DestroyContext(world->contexts.begin()->get());
    }
    world->deviceContext = nullptr;
    world->FreeDeviceMemory();
}

}  // namespace

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (deviceId != 0) {
        return UnknownDevice("aclrtSetDevice", deviceId);
    }
    if (world.deviceContext == nullptr) {
        world.deviceContext = world.contexts.insert(std::make_unique<Context>()).first->get();
        world.deviceContext->ownedByDevice = true;
    }
    ++world.deviceReferences;
    SetCurrentContext(world.deviceContext);
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (deviceId != 0) {
        return UnknownDevice("aclrtResetDevice", deviceId);
    }
    if (world.deviceReferences == 0) {
        return NoDevice("aclrtResetDevice");
    }
    if (--world.deviceReferences == 0) {
        LeaveDevice(&world);
    }
    return ACL_SUCCESS;
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (deviceId != 0) {
        return UnknownDevice("aclrtResetDeviceForce", deviceId);
    }
    if (world.deviceReferences == 0) {
        return NoDevice("aclrtResetDeviceForce");
    }
    LeaveDevice(&world);
    return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t* deviceId) {
    const Lock lock(TheWorld().mutex);
    if (deviceId == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDevice: the pointer is null");
    }
    if (CurrentContext() == nullptr) {
        return NoDevice("aclrtGetDevice");
    }
    *deviceId = 0;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    if (count == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceCount: the pointer is null");
    }
    *count = 1;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
    if (deviceId != 0) {
        return UnknownDevice("aclrtGetDeviceInfo", deviceId);
    }
    if (value == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceInfo: the pointer is null");
    }
    const sktwin::Platform& chip = sktwin::ThePlatform();
    switch (attr) {
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
        case ACL_DEV_ATTR_CUBE_CORE_NUM:
            *value = chip.aicCores;
            return ACL_SUCCESS;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM:
            *value = chip.aivCores;
            return ACL_SUCCESS;
        default:
            return Refuse(ACL_ERROR_RT_PARAM_INVALID,
                          "aclrtGetDeviceInfo: the twin does not know attribute " + std::to_string(attr));
    }
}

const char* aclrtGetSocName() { return sktwin_program_target.soc; }

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (context == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtCreateContext: the pointer is null");
    }
    if (deviceId != 0) {
        return UnknownDevice("aclrtCreateContext", deviceId);
    }
    Context* made = world.contexts.insert(std::make_unique<Context>()).first->get();
    made->ownedByDevice = false;
    SetCurrentContext(made);
    *context = made;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext handle) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    Context* context = world.FindContext(handle);
    if (context == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyContext: there is no such context, or no longer");
    }
    if (context->ownedByDevice) {
        return Refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                      "aclrtDestroyContext: the context belongs to the device; call aclrtResetDevice");
    }
    world.DestroyContext(context);
    return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext handle) {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    Context* context = world.FindContext(handle);
    if (context == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetCurrentContext: there is no such context, or no longer");
    }
    SetCurrentContext(context);
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    const Lock lock(TheWorld().mutex);
    if (context == nullptr) {
        return Refuse(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetCurrentContext: the pointer is null");
    }
    *context = CurrentContext();
    return *context == nullptr ? NoDevice("aclrtGetCurrentContext") : ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice() {
    World& world = TheWorld();
    const Lock lock(world.mutex);
    if (CurrentContext() == nullptr) {
        return NoDevice("aclrtSynchronizeDevice");
    }
    world.RunUntil([] { return false; });
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return aclrtSynchronizeDevice(); }

}  // extern "C"
