// Licensed under the Apache License, Version 2.0.
//
// Tiling structures defined by macros (ascendc_adv_host.md 12.3): in a kernel they are plain structures of the same layout.
#pragma once

#include <cstdint>

#define BEGIN_TILING_DATA_DEF(Name) struct Name {
#define TILING_DATA_FIELD_DEF(type, field) type field
#define TILING_DATA_FIELD_DEF_ARR(type, count, field) type field[count]
#define TILING_DATA_FIELD_DEF_STRUCT(Type, field) Type field
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(Operator, Name) static_assert(sizeof(Name) > 0, "")
