// Licensed under the Apache License, Version 2.0.
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

extern "C" {

// The path of a configuration is accepted and not read.
aclError aclInit(const char* configPath);
aclError aclFinalize();
aclError aclFinalizeReference(uint64_t* refCount);
}
