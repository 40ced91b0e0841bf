// Licensed under the Apache License, Version 2.0.
//
// How the calls of AscendCL end.
#pragma once

#include <string>

#include "acl/acl.h"
#include "world.h"

namespace sktwin::program {

// Keeps code and text for aclrtGetLastError and aclGetRecentErrMsg, and gives the code back.
aclError Refuse(aclError code, const std::string& text);

// Held during a call: the program's threads use one device.
using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace sktwin::program
