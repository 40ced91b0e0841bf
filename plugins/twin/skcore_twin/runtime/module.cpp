// Licensed under the Apache License, Version 2.0.
#include "module.h"

#include <dlfcn.h>
#include <link.h>

#include <stdexcept>

namespace sktwin::runtime {

namespace {

struct ThreadLocalSegment {
    ElfW(Addr) base;
    size_t bytes;
    size_t id;
};

int FindSegment(dl_phdr_info* info, size_t, void* data) {
    auto* wanted = static_cast<ThreadLocalSegment*>(data);
    if (info->dlpi_addr != wanted->base || info->dlpi_tls_modid != wanted->id) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            wanted->bytes = info->dlpi_phdr[i].p_memsz;
            return 1;
        }
    }
    return 0;
}

struct Holder {
    ElfW(Addr) code;
    size_t bytes;
    size_t id;
};

int FindHolder(dl_phdr_info* info, size_t, void* data) {
    auto* wanted = static_cast<Holder*>(data);
    bool holds = false;
    size_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        const ElfW(Addr) begin = info->dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && wanted->code >= begin && wanted->code - begin < header.p_memsz) {
            holds = true;
        } else if (header.p_type == PT_TLS) {
            bytes = header.p_memsz;
        }
    }
    if (holds) {
        wanted->bytes = bytes;
        wanted->id = info->dlpi_tls_modid;
    }
    return holds ? 1 : 0;
}

// The C library's own resolver: it creates this thread's block of the module when there is none yet.
struct TlsIndex {
    unsigned long module;
    unsigned long offset;
};
extern "C" void* __tls_get_addr(TlsIndex* index);

}  // namespace

void Module::Load() {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        throw std::runtime_error("cannot load module '" + id + "': " + dlerror());
    }
    link_map* map = nullptr;
    size_t moduleId = 0;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || dlinfo(handle, RTLD_DI_TLS_MODID, &moduleId) != 0 ||
        moduleId == 0) {
        return;
    }
    ThreadLocalSegment segment{map->l_addr, 0, moduleId};
    if (dl_iterate_phdr(&FindSegment, &segment) == 0 || segment.bytes == 0) {
        return;
    }
    TlsIndex index{moduleId, 0};
    blockLocals = static_cast<uint8_t*>(__tls_get_addr(&index));
    initial.assign(blockLocals, blockLocals + segment.bytes);
}

Module Module::Holding(const void* code) {
    Module module;
    Holder holder{reinterpret_cast<ElfW(Addr)>(code), 0, 0};
    if (dl_iterate_phdr(&FindHolder, &holder) != 0 && holder.bytes != 0 && holder.id != 0) {
        TlsIndex index{holder.id, 0};
        module.blockLocals = static_cast<uint8_t*>(__tls_get_addr(&index));
        module.initial.assign(module.blockLocals, module.blockLocals + holder.bytes);
    }
    return module;
}

Entry Module::Find(const std::string& symbol) const { return reinterpret_cast<Entry>(dlsym(handle, symbol.c_str())); }

}  // namespace sktwin::runtime
