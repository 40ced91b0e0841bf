// Licensed under the Apache License, Version 2.0.
//
// A loaded shared object and its block-local variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sktwin::runtime {

using Entry = void (*)(uint64_t);

// Block-local variables are thread-local ones to the compiler: that survives linking, renaming and localising of
// symbols, and the module's whole block of them is found and exchanged at once.
struct Module {
    std::string id;
    std::string path;
    void* handle = nullptr;
    uint8_t* blockLocals = nullptr;
    std::vector<uint8_t> initial;  // what the variables hold before any core ran

    // Throws std::runtime_error with the loader's reason.
    void Load();
    // The part of this process that holds the code, with the variables as they are now.
    static Module Holding(const void* code);
    // nullptr when the module has no such symbol.
    Entry Find(const std::string& symbol) const;
};

}  // namespace sktwin::runtime
