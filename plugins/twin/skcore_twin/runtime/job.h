// Licensed under the Apache License, Version 2.0.
//
// The job: what the runtime is asked to run, read from the text file given as its only argument.
//
// One statement a line; words are separated by blanks; empty lines and lines that begin with '#' are skipped; numbers
// are decimal or 0x hexadecimal. A path is the rest of its line, so it may contain blanks. Statements, in any order
// except that those from `word` to `end` belong to the `launch` before them, and that names are declared before they
// are used:
//
//   sktwin 1                              format version, first statement
//   target aic=N aiv=N [aic_ids=N] [aiv_ids=N] [flag_limit=15] [user_flags=11] intra_block=0|1 wait=core|pipe
//                                         cores the device has; physical ids they are drawn from (default: as many as
//                                         cores); largest value of a flag counter; flags that kernels may name;
//                                         intra-block flags; wait form
//   memory aic|aiv MEMORY=BYTES ...       MEMORY: ub l1 l0a l0b l0c bias fixpipe; those not named have 0 bytes
//   reserved aic|aiv MEMORY=BYTES ...     the last bytes of a memory that kernels may not use
//   seed N                                default 1
//   patience N M                          seconds of processor time that end the run: N without a change, M of one
//                                         launch; default 120 3600, 0 0: no limit
//   buffer NAME BYTES FILE|-              global memory: FILE is mapped shared, so results are in it; - is anonymous
//   pointer NAME BYTE_OFFSET TO BYTES     stores, at that offset of buffer NAME, the address BYTES inside buffer TO
//   module ID PATH                        shared object with the entry symbols
//   launch LABEL module=ID aic=SYMBOL|- aiv=SYMBOL|- ratio=0|1|2 blocks=N super=0|1 sync=0|1
//                                         ratio: AIVs a group, 0 when one kind runs alone; super: it is a SuperKernel;
//                                         sync: the launch type has a cross-core sync engine
//   word value N                          next argument word
//   word buffer NAME BYTE_OFFSET          next argument word: address inside a buffer
//   operator ARGUMENT aic=N|- aiv=N|- waits=0|1 NAME
//                                         the launch calls a sub-kernel, known by the index of its first argument word;
//                                         it runs on the first N cores of each kind (- on both: not known); waits: it
//                                         begins when its own WaitPreTaskEnd returns, not when it is called
//   order FIRST SECOND                    operator SECOND begins on no core before FIRST has ended on all of its own
//   told WORD OPERATOR                    the launch sets the lock word that argument word WORD points to, to 1, but
//                                         not before the operator has ended on all of its cores
//   outside WORD OPERATOR|- [after WORD...]
//                                         something outside sets that lock word to 1 during the launch, once all words
//                                         after `after` are 1; the operator begins on no core before (-: none waits)
//   hold aic|aiv BLOCK SUB_BLOCK OPERATOR|-
//                                         the core, once it has begun the operator (-: from the start), gets on only
//                                         where no other core can
//   end                                   closes the launch
//
// FIRST, SECOND and OPERATOR are the ARGUMENT of an `operator`. An operator has ended on a core when it has returned
// or, before, called SetNextTaskStart. When an outside word is set depends on the seed; in a launch with holds it is as
// late as can be.
//
// Launches run one after the other. An entry is `extern "C" void symbol(uint64_t args_offset)`, called with 0.
// The result is one JSON object on standard output; exit code 0 done, 1 fault, 2 the job is wrong, 3 defect here.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sktwin/machine.h"

namespace sktwin::runtime {

constexpr int kKinds = 2;
constexpr size_t kMemories = static_cast<size_t>(Memory::kCount);

inline int Index(CoreKind kind) { return static_cast<int>(kind); }
inline const char* KindName(CoreKind kind) { return kind == CoreKind::kAic ? "AIC" : "AIV"; }

struct TargetSpec {
    uint32_t cores[kKinds] = {0, 0};
    uint32_t ids[kKinds] = {0, 0};
    uint32_t localSize[kKinds][kMemories] = {};
    uint32_t reserved[kKinds][kMemories] = {};  // last bytes of a memory, which kernels may not use
    uint32_t flagLimit = 15;
    uint32_t userFlags = 11;
    bool intraBlock = false;
    bool waitPerPipe = false;
};

struct BufferSpec {
    std::string name;
    uint64_t bytes;
    std::string file;  // empty: anonymous
};

// A word inside one buffer that is an address inside another.
struct PointerSpec {
    std::string buffer;
    uint64_t offset;
    std::string target;
    uint64_t targetOffset;
};

struct ModuleSpec {
    std::string id;
    std::string path;
};

struct WordSpec {
    bool isBuffer;
    uint64_t value;  // the value, or the offset in bytes
    std::string buffer;
};

// A sub-kernel that the launch calls, with the cores of each kind that run it.
struct OperatorSpec {
    uint64_t argument;
    bool coresKnown;
    uint32_t cores[kKinds];
    bool waits;
    std::string name;
};

// In these, operators are indices of LaunchSpec::operators and words indices of LaunchSpec::words.
struct OrderSpec {
    size_t first;
    size_t second;
};

struct ToldSpec {
    size_t word;
    size_t op;
};

struct OutsideSpec {
    size_t word;
    std::optional<size_t> op;
    std::vector<size_t> after;
};

struct HoldSpec {
    CoreKind kind;
    uint32_t block;
    uint32_t subBlock;
    std::optional<size_t> op;  // none: from the start
};

struct LaunchSpec {
    std::string label;
    std::string module;
    std::string symbol[kKinds];  // empty: the kind does not run
    uint32_t ratio = 0;
    uint32_t blocks = 0;
    bool superKernel = false;
    bool sync = false;
    std::vector<WordSpec> words;
    std::vector<OperatorSpec> operators;
    std::vector<OrderSpec> orders;
    std::vector<ToldSpec> told;
    std::vector<OutsideSpec> outside;
    std::vector<HoldSpec> holds;
    int line = 0;

    bool Runs(CoreKind kind) const { return !symbol[Index(kind)].empty(); }
    // Logical cores of the kind, also when they run in waves.
    uint32_t Participants(CoreKind kind) const {
        if (!Runs(kind)) {
            return 0;
        }
        return blocks * GroupCores(kind);
    }
    // Cores of the kind in one group.
    uint32_t GroupCores(CoreKind kind) const { return kind == CoreKind::kAiv && ratio == 2 ? 2 : 1; }
};

// Seconds of processor time after which a run is given up: without a change, and of one launch. 0: no limit.
struct Patience {
    uint32_t seconds = 120;
    uint32_t launchSeconds = 3600;
};

struct Job {
    TargetSpec target;
    uint64_t seed = 1;
    Patience patience;
    std::vector<BufferSpec> buffers;
    std::vector<PointerSpec> pointers;
    std::vector<ModuleSpec> modules;
    std::vector<LaunchSpec> launches;
};

// What is wrong with the job; line 0 when it is not one line.
struct Problem {
    int line;
    std::string text;
};

// The same for statements that come from elsewhere than a file.
Job ReadJob(std::istream& statements, std::vector<Problem>* problems);
// Reads the whole file and reports every problem, not the first alone.
Job ReadJob(const std::string& path, std::vector<Problem>* problems);

}  // namespace sktwin::runtime
