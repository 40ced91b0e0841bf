// Licensed under the Apache License, Version 2.0.
//
// Tiling structures defined by macros (ascendc_adv_host.md 12.3). The host sets and stores them through methods, the
// kernel reads the fields: one structure of the layout of its fields serves both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// What host code does with a whole structure; a buffer that is too small stays as it is.
#define SKTWIN_TILING_STORAGE                                 \
    void SaveToBuffer(void* buffer, size_t capacity) const {  \
        if (buffer != nullptr && capacity >= sizeof(*this)) { \
            ::std::memcpy(buffer, this, sizeof(*this));       \
        }                                                     \
    }                                                         \
    size_t GetDataSize() const { return sizeof(*this); }

// Users end these lines with a semicolon or without.
#define BEGIN_TILING_DATA_DEF(Name) \
    struct Name {                   \
        SKTWIN_TILING_STORAGE
#define TILING_DATA_FIELD_DEF(type, field)                      \
    type field{};                                               \
    void set_##field(type sktwinValue) { field = sktwinValue; } \
    type get_##field() const { return field; }
#define TILING_DATA_FIELD_DEF_ARR(type, count, field)                                                 \
    type field[count]{};                                                                              \
    void set_##field(const type* sktwinValues) { ::std::memcpy(field, sktwinValues, sizeof(field)); } \
    type* get_##field() { return field; }                                                             \
    const type* get_##field() const { return field; }
#define TILING_DATA_FIELD_DEF_STRUCT(Type, field) Type field;
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(Operator, Name) static_assert(sizeof(Name) > 0, "");
