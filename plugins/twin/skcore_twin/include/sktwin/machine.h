// Licensed under the Apache License, Version 2.0.
//
// The machine as a running kernel sees it: the one interface between the Ascend C headers and the twin's runtime.
// The headers hold no state: everything that lives longer than a call is in the runtime, one copy a core or a device,
// because each kernel object carries its own copy of the headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sktwin {

enum class CoreKind : uint8_t { kAic, kAiv };

// On-chip memories of one core. A core lacks the memories of the other kind: their size is 0.
enum class Memory : uint8_t { kUb, kL1, kL0a, kL0b, kL0c, kBias, kFixpipe, kL0aMx, kL0bMx, kCount };

// Where a call was made: captured by default arguments, so that reports name the line of the caller.
struct Site {
    const char* file;
    int line;
    static constexpr Site Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

// What a cross-core flag is set or waited for: only kOwn is the kernel's or the SuperKernel's own protocol.
enum class FlagUse : uint8_t { kOwn, kSyncAll, kEarlyStart, kFeed };

// Full synchronisations that a kernel calls: each core of the kernel as often as all others.
enum class FullSync : uint8_t { kVectors, kAll, kVectorsInSoftware, kCount };

// How a sub-kernel was built: the early-start calls that it has to make, and its blocks (0: decided on the device).
struct KernelBuild {
    bool setsNextTaskStart = false;
    bool waitsPreTaskEnd = false;
    uint32_t blocks = 0;
};

// Registers that outlive a sub-kernel: nothing resets them between two sub-kernels of one SuperKernel.
struct Registers {
    uint64_t mask[2];           // [0] low lanes, [1] high lanes
    bool maskCounter;           // mask mode: false = normal, true = counter
    uint64_t compareMask[2];
    uint64_t ctrl;
    uint8_t atomicOperation;    // 0 none, 1 add, 2 max, 3 min
    uint8_t atomicType;         // element type of the atomic, as its setter chose it
    uint64_t dequantScale;
    uint64_t reduceExtremum;    // {index:32, value:32} of the last repeat reduction
    float reduceSum;
    uint64_t gatherRemaining;
    uint64_t padValue;
    uint64_t scratch[16];       // further mode registers; each header that uses one names its slot
    uint64_t copyLoops[2][6];   // UB to global memory, and back: two sizes, then source and destination strides of each
    uint16_t mutexPipes[32];    // of each mutex: bit of every pipe that has locked it
    uint32_t mutexIds;          // bit of each mutex that AllocMutexID gave
};

// One variable a core: the device's block-local variables that the SuperKernel and its sub-kernels share.
struct BlockLocals {
    uint32_t earlyStartConfig;
    uint32_t dynamicBlockNum;
    bool autoSyncAllEnable;
    uint32_t autoSyncAllIndex;
    uint64_t autoSyncAllConfig;      // address of this operator's line
    uint64_t autoSyncAllConfigBase;  // address of the first line
    void* pipe;                      // the TPipe that is alive on this core
};

// The variables of BlockLocals that sub-kernels read.
enum class BlockLocalName : uint8_t {
    kEarlyStartConfig,
    kDynamicBlockNum,
    kAutoSyncAllEnable,
    kAutoSyncAllIndex,
    kAutoSyncAllConfig,
    kAutoSyncAllConfigBase,
};

// Where a state register was last changed, for the report of a sub-kernel that leaves it changed.
struct ChangeSites {
    Site atomic;
    Site maskMode;
    Site mask;  // no file: the mask was not set by hand
    Site saturation;
};

struct Core {
    CoreKind kind;
    uint32_t blockIdx;      // raw hardware block index
    uint32_t subBlockIdx;   // 0 or 1 inside the group
    uint32_t subBlockDim;   // AIVs a group of this launch (1 or 2)
    uint32_t blockNum;      // blocks of this launch
    uint32_t coreId;        // physical core: not the block index
    uint64_t* paraBase;     // argument words of the launch
    bool superKernel;       // the launch is a SuperKernel (false: one kernel alone)
    bool inSubKernel;       // it is, and one of its sub-kernels runs
    bool pipeUnsettled;     // the sub-kernel has destroyed a TPipe, and no barrier has drained the pipes since
    uint32_t blockLocalsWritten;  // a bit for each BlockLocalName
    const char* kernel;     // sub-kernel being executed, or the launch's label
    uint8_t* local[static_cast<size_t>(Memory::kCount)];
    uint32_t localSize[static_cast<size_t>(Memory::kCount)];
    Registers registers;
    ChangeSites changed;
    BlockLocals blockLocal;
    uint32_t events[16][16];  // set_flag bits: [source pipe][destination pipe], bit = event id
};

// The core that runs now.
Core& Self();

// Stops the run: the report names check, core, sub-kernel, site and the text (printf form). `check` is a stable name.
[[noreturn]] void Fault(const char* check, Site site, const char* format, ...) __attribute__((format(printf, 3, 4)));

// Lets other cores run: called in every polling loop, and wherever interleavings should vary.
void Yield(Site site = Site::Here());

// Every access of global memory by a kernel goes through here: checks that [address, address + bytes) lies inside one
// buffer of the run and returns it; lets the scheduler switch cores. `write` tells loads from stores.
uint8_t* GlobalAccess(const void* address, size_t bytes, bool write, Site site = Site::Here());

// Cross-core flags, spec device section 3. mode 0: all cores of the kind; 1: the AIVs of a group; 2: AIC <-> its AIVs.
void CrossCoreSet(int mode, int flag, Site site, FlagUse use = FlagUse::kOwn);
void CrossCoreWait(int flag, Site site, FlagUse use = FlagUse::kOwn);

// Intra-block flags of targets that have them: AIC side 0..31 (16..31 pair with the second AIV), AIV side 0..15.
void IntraBlockSet(int flag, Site site, FlagUse use = FlagUse::kOwn);
void IntraBlockWait(int flag, Site site, FlagUse use = FlagUse::kOwn);

// Local memory of the other cores of the group (targets with direct paths): kind and sub-block select the core.
Core& GroupCore(CoreKind kind, uint32_t subBlock, Site site);

// A sub-kernel is called and returns: reports name it, and what it leaves behind is checked at its end. Which call it
// is follows from `argument`, the index of its first argument word.
constexpr uint64_t kNoArgument = ~0ULL;
const char* EnterKernel(const char* name, uint64_t argument = kNoArgument, KernelBuild build = {});
void LeaveKernel(const char* previous);

// The sub-kernel has waited for what comes before it; it no longer affects what comes after it.
void NotePreTaskEnd(Site site);
void NoteNextTaskStart(Site site);

// The running core calls a full synchronisation.
void NoteFullSync(FullSync form, Site site);

// One cache line is written back: so far nobody else can rely on what was stored there.
void NoteFlush(const void* address, Site site);

// Device-side printf, in the order in which cores ran; `text` is one finished piece of output.
void Print(const char* text);

}  // namespace sktwin
