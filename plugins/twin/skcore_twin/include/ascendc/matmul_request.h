// Licensed under the Apache License, Version 2.0.
//
// What a Matmul object asks of the cube, and how an AIV hands it to the AIC of its group (ascendc_data_cube.md 10.8).
// Messages travel through the system workspace in global memory, as on dav-2201: one cell for each AIV, holding one
// word for the request and one acknowledgement a Matmul object. The words are zero before and after every kernel.
#pragma once

#include <cstdint>

#include "sktwin/device.h"
#include "sktwin/machine.h"

namespace sktwin::matmul {

// A matrix or a vector of parameters: in global memory, in a local memory of some core, or one scalar for all elements.
struct MatrixRef {
    const uint8_t* global = nullptr;
    Core* core = nullptr;
    Memory memory = Memory::kCount;
    uint64_t start = 0;
    bool isScalar = false;
    uint32_t scalar = 0;  // bit pattern
    bool transpose = false;
    uint64_t rowPitch = 0;  // elements between stored rows; 0: as the shapes say

    bool IsSet() const { return global != nullptr || core != nullptr || isScalar; }
    bool IsLocal() const { return core != nullptr; }

    MatrixRef Advanced(uint64_t bytes) const {
        MatrixRef moved = *this;
        moved.global += global != nullptr ? bytes : 0;
        moved.start += bytes;
        return moved;
    }

    // One contiguous burst.
    const uint8_t* Read(uint64_t offset, uint64_t bytes, Site site) const {
        if (core == nullptr) {
            return GlobalAccess(global + offset, bytes, false, site);
        }
        const uint64_t size = core->localSize[static_cast<int>(memory)];
        if (start + offset + bytes > size) {
            Fault("local-memory-size", site,
                  "Matmul reads bytes [%llu, %llu) of a local memory of %llu bytes; the tensor is "
                  "smaller than the single-core shape",
                  static_cast<unsigned long long>(start + offset),
                  static_cast<unsigned long long>(start + offset + bytes), static_cast<unsigned long long>(size));
        }
        return core->local[static_cast<int>(memory)] + start + offset;
    }
};

struct Shape {
    uint64_t orgM = 0;
    uint64_t orgN = 0;
    uint64_t orgKa = 0;
    uint64_t orgKb = 0;
    uint64_t orgKc = 0;
    uint64_t singleM = 0;
    uint64_t singleN = 0;
    uint64_t singleK = 0;
    uint64_t baseM = 0;
    uint64_t baseN = 0;
    uint64_t baseK = 0;
    bool nFirst = false;

    uint64_t BlocksM() const { return baseM == 0 ? 0 : (singleM + baseM - 1) / baseM; }
    uint64_t BlocksN() const { return baseN == 0 ? 0 : (singleN + baseN - 1) / baseN; }
    uint64_t Blocks() const { return BlocksM() * BlocksN(); }
};

struct Destination {
    uint8_t* global = nullptr;
    Core* core = nullptr;
    Memory memory = Memory::kCount;
    uint64_t start = 0;
    uint8_t atomic = 0;
    bool sequential = false;
    uint64_t rowPitch = 0;  // elements between rows; 0: as the shapes say
};

// One axis order of a batched operand (10.5): sizes of its tiling fields, in elements.
struct BatchLayout {
    uint64_t batch = 0;
    uint64_t rows = 0;
    uint64_t heads = 0;
    uint64_t groups = 0;
    uint64_t columns = 0;
};

struct Batch {
    uint64_t countA = 0;
    uint64_t countB = 0;
    uint64_t strideA = 0;
    uint64_t strideB = 0;
    uint64_t strideC = 0;
    BatchLayout a;
    BatchLayout b;
    BatchLayout c;
};

enum class Work : uint8_t { kIterate, kFetch, kAll, kBatch };
enum class Quant : uint8_t { kNone, kScalar, kVector };

struct Request {
    Work work = Work::kAll;
    uint8_t object = 0;
    uint8_t client = 0;
    uint32_t sharedWith = 0;  // not 0: this request of AIV 1 is answered by that one of AIV 0, counted from 1
    Site site = {nullptr, 0};
    MatrixRef a;
    MatrixRef b;
    MatrixRef bias;
    Shape shape;
    uint64_t block = 0;  // in iteration order
    bool partialSum = false;
    Quant quant = Quant::kNone;
    uint64_t quantScalar = 0;
    MatrixRef quantVector;
    bool hf32 = false;
    bool hf32Even = false;
    Destination destination;
    Batch batch;
    uint64_t userTiling = 0;  // of SetUserDefInfo, for user functions
    uint64_t userData = 0;    // of SetSelfDefineData
};

inline constexpr uint32_t kClients = 2;
inline constexpr uint32_t kObjects = 4;
inline constexpr uint64_t kCellWords = 8;

// The cell of AIV `client` of the running core's group. Word 0 is the request, word 1 + i acknowledges object i.
inline uint64_t* Cell(uint32_t client) {
    return reinterpret_cast<uint64_t*>(SystemWorkspace()) +
           (uint64_t{Self().blockIdx} * kClients + client) * kCellWords;
}

inline uint64_t ReadWord(const uint64_t* word, Site site) {
    return *reinterpret_cast<const uint64_t*>(GlobalAccess(word, sizeof(*word), false, site));
}

inline void WriteWord(uint64_t* word, uint64_t value, Site site) {
    *reinterpret_cast<uint64_t*>(GlobalAccess(word, sizeof(*word), true, site)) = value;
}

// A request is the even address of its message; the last one of an object is its number and the lowest bit.
inline uint64_t QuitWord(uint8_t object) { return uint64_t{object} << 1 | 1; }

inline void Send(uint64_t word, Site site) {
    uint64_t* cell = Cell(Self().subBlockIdx);
    while (ReadWord(cell, site) != 0) {
        Yield(site);
    }
    WriteWord(cell, word, site);
}

inline void AwaitAcknowledgement(uint8_t object, Site site) {
    uint64_t* word = Cell(Self().subBlockIdx) + 1 + object;
    while (ReadWord(word, site) == 0) {
        Yield(site);
    }
    WriteWord(word, 0, site);
}

// A Matmul object of the AIC, as the server sees it.
struct Served {
    void* object = nullptr;
    void (*run)(void* object, const Request& request) = nullptr;
};

// Runs requests until every object of every AIV of the group has ended.
inline void Serve(const Served* objects, uint32_t count, Site site) {
    const uint32_t clients = Self().subBlockDim;
    uint32_t open[kClients] = {};
    uint32_t finished[kObjects] = {};  // requests of AIV 0
    for (uint32_t client = 0; client < clients; ++client) {
        open[client] = count;
    }
    while (open[0] + open[1] != 0) {
        for (uint32_t client = 0; client < clients; ++client) {
            const uint64_t word = open[client] == 0 ? 0 : ReadWord(Cell(client), site);
            if (word == 0) {
                continue;
            }
            if ((word & 1) != 0) {
                WriteWord(Cell(client), 0, site);
                --open[client];
                continue;
            }
            const auto& request = *reinterpret_cast<const Request*>(word);
            const uint8_t object = request.object;
            if (request.sharedWith > finished[object]) {
                continue;
            }
            WriteWord(Cell(client), 0, site);
            if (request.sharedWith == 0) {
                objects[object].run(objects[object].object, request);
                finished[object] += client == 0 ? 1 : 0;
            }
            WriteWord(Cell(client) + 1 + object, 1, site);
        }
        Yield(site);
    }
}

}  // namespace sktwin::matmul
