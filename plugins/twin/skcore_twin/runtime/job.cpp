// Licensed under the Apache License, Version 2.0.
#include "job.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "flag_sets.h"

namespace sktwin::runtime {

namespace {

constexpr const char* kInsideLaunch = "'word', 'operator', 'order', 'told', 'outside', 'hold' or 'end'";

bool IsInsideLaunch(const std::string& keyword) {
    return std::string(kInsideLaunch).find("'" + keyword + "'") != std::string::npos;
}

constexpr const char* kMemoryNames[kMemories] = {"ub", "l1", "l0a", "l0b", "l0c", "bias", "fixpipe",
                                                "l0a_mx", "l0b_mx"};

std::optional<uint64_t> ParseNumber(const std::string& text) {
    if (text.empty() || text[0] < '0' || text[0] > '9') {
        return std::nullopt;
    }
    char* end = nullptr;
    errno = 0;
    const uint64_t value = std::strtoull(text.c_str(), &end, text.rfind("0x", 0) == 0 ? 16 : 10);
    if (errno != 0 || *end != '\0') {
        return std::nullopt;
    }
    return value;
}

std::vector<std::string> Split(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

// The line after its first `count` words.
std::string RestOfLine(const std::string& line, size_t count) {
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        at = line.find_first_not_of(" \t", at);
        at = line.find_first_of(" \t", at);
        if (at == std::string::npos) {
            return "";
        }
    }
    at = line.find_first_not_of(" \t", at);
    if (at == std::string::npos) {
        return "";
    }
    const size_t last = line.find_last_not_of(" \t\r");
    return line.substr(at, last + 1 - at);
}

class Reader {
public:
    Reader(Job* job, std::vector<Problem>* problems) : job_(*job), problems_(*problems) {}

    void Statement(int number, const std::string& line) {
        line_ = number;
        const std::vector<std::string> words = Split(line);
        if (words.empty() || words[0][0] == '#') {
            return;
        }
        const std::string& keyword = words[0];
        if (!versionSeen_) {
            versionSeen_ = true;
            if (words != std::vector<std::string>{"sktwin", "1"}) {
                Expect("the first statement to be 'sktwin 1', not '" + line + "'");
            }
            if (keyword == "sktwin") {
                return;
            }
        }
        if (open_ && !IsInsideLaunch(keyword)) {
            Expect(std::string(kInsideLaunch) + " inside launch '" + job_.launches.back().label + "', not '" +
                   keyword + "'");
            open_ = false;
        }
        if (!open_ && IsInsideLaunch(keyword)) {
            Expect("'" + keyword + "' only inside a launch");
            return;
        }
        Dispatch(keyword, words, line);
    }

    void Finish() {
        line_ = 0;
        if (!versionSeen_) {
            Expect("at least the statement 'sktwin 1'; the file is empty");
        }
        if (open_) {
            Expect("'end' after launch '" + job_.launches.back().label + "'");
        }
        if (!targetSeen_) {
            Expect("one 'target' statement");
        }
        for (int kind = 0; kind < kKinds; ++kind) {
            for (size_t memory = 0; memory < kMemories; ++memory) {
                if (job_.target.reserved[kind][memory] > job_.target.localSize[kind][memory]) {
                    Expect(std::string("'reserved' to leave something of ") + kMemoryNames[memory]);
                }
            }
        }
        for (const LaunchSpec& launch : job_.launches) {
            CheckLaunch(launch);
        }
    }

private:
    void Expect(const std::string& what) { problems_.push_back({line_, "expected " + what}); }

    void Dispatch(const std::string& keyword, const std::vector<std::string>& words, const std::string& line) {
        if (keyword == "target") {
            Target(words);
        } else if (keyword == "memory" || keyword == "reserved") {
            LocalMemory(words);
        } else if (keyword == "seed") {
            if (words.size() != 2) {
                Expect("'seed NUMBER'");
            } else {
                job_.seed = Number("seed", words[1]);
            }
        } else if (keyword == "patience") {
            constexpr uint64_t kMostSeconds = 1U << 25;
            if (words.size() != 3) {
                Expect("'patience SECONDS SECONDS'");
            } else {
                job_.patience.seconds = static_cast<uint32_t>(Number("patience", words[1], kMostSeconds));
                job_.patience.launchSeconds = static_cast<uint32_t>(Number("patience", words[2], kMostSeconds));
            }
        } else if (keyword == "buffer") {
            Buffer(words, line);
        } else if (keyword == "pointer") {
            Pointer(words);
        } else if (keyword == "module") {
            Module(words, line);
        } else if (keyword == "launch") {
            Launch(words);
        } else if (keyword == "word") {
            Word(words);
        } else if (keyword == "operator") {
            Operator(words, line);
        } else if (keyword == "order") {
            Order(words);
        } else if (keyword == "told") {
            Told(words);
        } else if (keyword == "outside") {
            Outside(words);
        } else if (keyword == "hold") {
            Hold(words);
        } else if (keyword == "end") {
            if (words.size() != 1) {
                Expect("'end' alone");
            }
            open_ = false;
        } else {
            Expect("sktwin, target, memory, reserved, seed, patience, buffer, pointer, module, launch or a statement inside one, not '" +
                   keyword + "'");
        }
    }

    uint64_t Number(const std::string& what, const std::string& text, uint64_t limit = UINT64_MAX) {
        const std::optional<uint64_t> value = ParseNumber(text);
        if (!value || *value > limit) {
            Expect(what + " to be a number" + (limit == UINT64_MAX ? "" : " of at most " + std::to_string(limit)) +
                   ", not '" + text + "'");
            return 0;
        }
        return *value;
    }

    using Pairs = std::vector<std::pair<std::string, std::string>>;

    Pairs KeyValues(const std::vector<std::string>& words, size_t from) {
        Pairs pairs;
        for (size_t i = from; i < words.size(); ++i) {
            const size_t equals = words[i].find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 == words[i].size()) {
                Expect("KEY=VALUE, not '" + words[i] + "'");
                continue;
            }
            std::string key = words[i].substr(0, equals);
            const bool twice = std::any_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == key; });
            if (twice) {
                Expect("'" + key + "' only once");
                continue;
            }
            pairs.emplace_back(std::move(key), words[i].substr(equals + 1));
        }
        return pairs;
    }

    void Require(const Pairs& pairs, std::initializer_list<const char*> keys, const std::string& where) {
        for (const char* key : keys) {
            if (std::none_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == key; })) {
                Expect(std::string("'") + key + "=' in " + where);
            }
        }
    }

    void Target(const std::vector<std::string>& words) {
        if (std::exchange(targetSeen_, true)) {
            Expect("only one 'target' statement");
        }
        TargetSpec& target = job_.target;
        const Pairs pairs = KeyValues(words, 1);
        for (const auto& [key, value] : pairs) {
            constexpr uint64_t kMostCores = 1024;
            if (key == "aic") {
                target.cores[0] = static_cast<uint32_t>(Number(key, value, kMostCores));
            } else if (key == "aiv") {
                target.cores[1] = static_cast<uint32_t>(Number(key, value, kMostCores));
            } else if (key == "aic_ids") {
                target.ids[0] = static_cast<uint32_t>(Number(key, value, kMostCores));
            } else if (key == "aiv_ids") {
                target.ids[1] = static_cast<uint32_t>(Number(key, value, kMostCores));
            } else if (key == "flag_limit") {
                target.flagLimit = static_cast<uint32_t>(Number(key, value, FlagSets::kMost));
            } else if (key == "user_flags") {
                target.userFlags = static_cast<uint32_t>(Number(key, value, 16));
            } else if (key == "intra_block") {
                target.intraBlock = Number(key, value, 1) == 1;
            } else if (key == "wait" && (value == "core" || value == "pipe")) {
                target.waitPerPipe = value == "pipe";
            } else if (key == "wait") {
                Expect("wait=core or wait=pipe, not '" + value + "'");
            } else {
                Expect("aic, aiv, aic_ids, aiv_ids, flag_limit, user_flags, intra_block or wait, not '" + key + "'");
            }
        }
        Require(pairs, {"aic", "aiv", "intra_block", "wait"}, "'target'");
        for (int kind = 0; kind < kKinds; ++kind) {
            if (target.ids[kind] == 0) {
                target.ids[kind] = target.cores[kind];
            }
            if (target.ids[kind] < target.cores[kind]) {
                Expect("at least as many ids as cores");
            }
        }
    }

    void LocalMemory(const std::vector<std::string>& words) {
        if (words.size() < 2 || (words[1] != "aic" && words[1] != "aiv")) {
            Expect("'" + words[0] + " aic MEMORY=BYTES ...' or '" + words[0] + " aiv MEMORY=BYTES ...'");
            return;
        }
        const int kind = words[1] == "aic" ? 0 : 1;
        uint32_t* sizes = words[0] == "memory" ? job_.target.localSize[kind] : job_.target.reserved[kind];
        for (const auto& [key, value] : KeyValues(words, 2)) {
            const auto* found = std::find_if(std::begin(kMemoryNames), std::end(kMemoryNames),
                                             [&](const char* name) { return key == name; });
            if (found == std::end(kMemoryNames)) {
                Expect("ub, l1, l0a, l0b, l0c, bias, fixpipe, l0a_mx or l0b_mx, not '" + key + "'");
            } else {
                sizes[found - std::begin(kMemoryNames)] = static_cast<uint32_t>(Number(key, value, 1U << 30));
            }
        }
        // The scales of a byte of L0A or L0B lie at a sixteenth of its address, in a memory of their own.
        if (job_.target.intraBlock) {
            sizes[static_cast<size_t>(Memory::kL0aMx)] = sizes[static_cast<size_t>(Memory::kL0a)] / 16;
            sizes[static_cast<size_t>(Memory::kL0bMx)] = sizes[static_cast<size_t>(Memory::kL0b)] / 16;
        }
    }

    void Buffer(const std::vector<std::string>& words, const std::string& line) {
        if (words.size() < 4) {
            Expect("'buffer NAME BYTES FILE|-'");
            return;
        }
        if (FindBuffer(words[1]) != nullptr) {
            Expect("a buffer name that is not taken, not '" + words[1] + "'");
        }
        std::string file = RestOfLine(line, 3);
        job_.buffers.push_back({words[1], Number("BYTES", words[2], 1ULL << 40), file == "-" ? "" : file});
    }

    void Pointer(const std::vector<std::string>& words) {
        if (words.size() != 5) {
            Expect("'pointer NAME BYTE_OFFSET TO BYTES'");
            return;
        }
        const PointerSpec pointer{words[1], Number("BYTE_OFFSET", words[2]), words[3], Number("BYTES", words[4])};
        const BufferSpec* holder = FindBuffer(pointer.buffer);
        const BufferSpec* target = FindBuffer(pointer.target);
        if (holder == nullptr || target == nullptr) {
            Expect("both buffers of a pointer to be declared before it");
        } else if (holder->bytes < sizeof(uint64_t) || pointer.offset > holder->bytes - sizeof(uint64_t) ||
                   pointer.targetOffset > target->bytes) {
            Expect("both offsets of a pointer to lie inside their buffers");
        }
        job_.pointers.push_back(pointer);
    }

    void Module(const std::vector<std::string>& words, const std::string& line) {
        if (words.size() < 3) {
            Expect("'module ID PATH'");
            return;
        }
        if (HasModule(words[1])) {
            Expect("a module id that is not taken, not '" + words[1] + "'");
        }
        job_.modules.push_back({words[1], RestOfLine(line, 2)});
    }

    void Launch(const std::vector<std::string>& words) {
        LaunchSpec launch;
        launch.line = line_;
        if (words.size() < 2 || words[1].find('=') != std::string::npos) {
            Expect("'launch LABEL module=ID aic=SYMBOL|- aiv=SYMBOL|- ratio=0|1|2 blocks=N super=0|1 sync=0|1'");
        }
        launch.label = words.size() > 1 ? words[1] : "";
        const Pairs pairs = KeyValues(words, 2);
        for (const auto& [key, value] : pairs) {
            if (key == "module") {
                launch.module = value;
            } else if (key == "aic" || key == "aiv") {
                launch.symbol[key == "aic" ? 0 : 1] = value == "-" ? "" : value;
            } else if (key == "ratio") {
                launch.ratio = static_cast<uint32_t>(Number(key, value, 2));
            } else if (key == "blocks") {
                launch.blocks = static_cast<uint32_t>(Number(key, value, 1U << 20));
            } else if (key == "super") {
                launch.superKernel = Number(key, value, 1) == 1;
            } else if (key == "sync") {
                launch.sync = Number(key, value, 1) == 1;
            } else {
                Expect("module, aic, aiv, ratio, blocks, super or sync, not '" + key + "'");
            }
        }
        Require(pairs, {"module", "aic", "aiv", "ratio", "blocks", "super", "sync"}, "launch '" + launch.label + "'");
        if (!launch.module.empty() && !HasModule(launch.module)) {
            Expect("module '" + launch.module + "' to be declared before launch '" + launch.label + "'");
        }
        job_.launches.push_back(std::move(launch));
        open_ = true;
    }

    void Word(const std::vector<std::string>& words) {
        std::vector<WordSpec>& list = job_.launches.back().words;
        if (words.size() == 3 && words[1] == "value") {
            list.push_back({false, Number("the value", words[2]), ""});
        } else if (words.size() == 4 && words[1] == "buffer") {
            const uint64_t offset = Number("BYTE_OFFSET", words[3]);
            const BufferSpec* buffer = FindBuffer(words[2]);
            if (buffer == nullptr) {
                Expect("buffer '" + words[2] + "' to be declared before it is used");
            } else if (offset > buffer->bytes) {
                Expect("an offset inside buffer '" + words[2] + "' (" + std::to_string(buffer->bytes) +
                       " bytes), not " + words[3]);
            }
            list.push_back({true, offset, words[2]});
        } else {
            Expect("'word value NUMBER' or 'word buffer NAME BYTE_OFFSET'");
        }
    }

    void Operator(const std::vector<std::string>& words, const std::string& line) {
        if (words.size() < 6) {
            Expect("'operator ARGUMENT aic=N|- aiv=N|- waits=0|1 NAME'");
            return;
        }
        LaunchSpec& launch = job_.launches.back();
        OperatorSpec spec{Number("ARGUMENT", words[1]), true, {0, 0}, false, RestOfLine(line, 5)};
        const Pairs pairs = KeyValues({words.begin(), words.begin() + 5}, 2);
        uint32_t unknown = 0;
        for (const auto& [key, value] : pairs) {
            if ((key == "aic" || key == "aiv") && value == "-") {
                ++unknown;
            } else if (key == "aic" || key == "aiv") {
                const CoreKind kind = key == "aic" ? CoreKind::kAic : CoreKind::kAiv;
                spec.cores[Index(kind)] = static_cast<uint32_t>(Number(key, value, launch.Participants(kind)));
            } else if (key == "waits") {
                spec.waits = Number(key, value, 1) == 1;
            } else {
                Expect("aic, aiv or waits, not '" + key + "'");
            }
        }
        Require(pairs, {"aic", "aiv", "waits"}, "'operator'");
        if (unknown == 1) {
            Expect("the cores of both kinds to be known, or of none");
        }
        spec.coresKnown = unknown == 0;
        if (FindOperator(launch, spec.argument) != launch.operators.size()) {
            Expect("an operator with another argument than " + words[1] + ", which is taken");
        }
        launch.operators.push_back(std::move(spec));
    }

    void Order(const std::vector<std::string>& words) {
        if (words.size() != 3) {
            Expect("'order FIRST SECOND'");
            return;
        }
        job_.launches.back().orders.push_back({OperatorOf(words[1]), OperatorOf(words[2])});
    }

    void Told(const std::vector<std::string>& words) {
        if (words.size() != 3) {
            Expect("'told WORD OPERATOR'");
            return;
        }
        job_.launches.back().told.push_back({LockWord(words[1]), OperatorOf(words[2])});
    }

    void Outside(const std::vector<std::string>& words) {
        if (words.size() < 3 || words.size() == 4 || (words.size() > 4 && words[3] != "after")) {
            Expect("'outside WORD OPERATOR|- [after WORD...]'");
            return;
        }
        OutsideSpec spec{LockWord(words[1]), OperatorOrNone(words[2]), {}};
        for (size_t i = 4; i < words.size(); ++i) {
            spec.after.push_back(LockWord(words[i]));
        }
        job_.launches.back().outside.push_back(std::move(spec));
    }

    void Hold(const std::vector<std::string>& words) {
        if (words.size() != 5 || (words[1] != "aic" && words[1] != "aiv")) {
            Expect("'hold aic|aiv BLOCK SUB_BLOCK OPERATOR|-'");
            return;
        }
        LaunchSpec& launch = job_.launches.back();
        const CoreKind kind = words[1] == "aic" ? CoreKind::kAic : CoreKind::kAiv;
        if (!launch.Runs(kind)) {
            Expect("a core that launch '" + launch.label + "' has; it runs on no " + KindName(kind));
        }
        launch.holds.push_back({kind, static_cast<uint32_t>(Number("BLOCK", words[2], launch.blocks - 1)),
                                static_cast<uint32_t>(Number("SUB_BLOCK", words[3], launch.GroupCores(kind) - 1)),
                                OperatorOrNone(words[4])});
    }

    // Index of the operator with that argument; their number when there is none.
    static size_t FindOperator(const LaunchSpec& launch, uint64_t argument) {
        const auto found = std::find_if(launch.operators.begin(), launch.operators.end(),
                                        [&](const OperatorSpec& spec) { return spec.argument == argument; });
        return static_cast<size_t>(found - launch.operators.begin());
    }

    size_t OperatorOf(const std::string& text) {
        const LaunchSpec& launch = job_.launches.back();
        const std::optional<uint64_t> argument = ParseNumber(text);
        const size_t found = argument ? FindOperator(launch, *argument) : launch.operators.size();
        if (found == launch.operators.size()) {
            Expect("the argument of an operator of launch '" + launch.label + "' that is declared before, not '" +
                   text + "'");
        }
        return found;
    }

    std::optional<size_t> OperatorOrNone(const std::string& text) {
        return text == "-" ? std::nullopt : std::optional<size_t>(OperatorOf(text));
    }

    // Index of an argument word that is the address of eight bytes.
    size_t LockWord(const std::string& text) {
        const LaunchSpec& launch = job_.launches.back();
        const std::optional<uint64_t> index = ParseNumber(text);
        if (!index || *index >= launch.words.size() || !launch.words[*index].isBuffer) {
            Expect("the index of an argument word that points into a buffer and is declared before, not '" + text +
                   "'");
            return 0;
        }
        const WordSpec& word = launch.words[*index];
        const BufferSpec* buffer = FindBuffer(word.buffer);
        if (buffer != nullptr && (buffer->bytes < sizeof(uint64_t) || word.value > buffer->bytes - sizeof(uint64_t))) {
            Expect("eight bytes of buffer '" + word.buffer + "' where argument word " + text + " points");
        }
        return *index;
    }

    void CheckLaunch(const LaunchSpec& launch) {
        line_ = launch.line;
        const std::string name = "launch '" + launch.label + "'";
        const bool aic = launch.Runs(CoreKind::kAic);
        const bool aiv = launch.Runs(CoreKind::kAiv);
        if (launch.blocks == 0) {
            Expect(name + " to have at least one block");
        }
        if (launch.ratio == 0 && aic == aiv) {
            Expect(name + " with ratio=0 to have one of aic= and aiv=, the other '-'");
        }
        if (launch.ratio > 0 && !(aic && aiv)) {
            Expect(name + " with ratio=1 or 2 to have both an aic= and an aiv= symbol");
        }
        if (!launch.superKernel && !launch.operators.empty()) {
            Expect(name + " to have super=1, since it has operators");
        }
        const uint32_t* cores = job_.target.cores;
        if ((aic && cores[0] == 0) || (aiv && cores[1] < std::max(1U, launch.ratio))) {
            Expect("the target to have cores of the kinds that " + name + " runs on");
        }
    }

    const BufferSpec* FindBuffer(const std::string& name) const {
        for (const BufferSpec& buffer : job_.buffers) {
            if (buffer.name == name) {
                return &buffer;
            }
        }
        return nullptr;
    }

    bool HasModule(const std::string& id) const {
        return std::any_of(job_.modules.begin(), job_.modules.end(), [&](const ModuleSpec& m) { return m.id == id; });
    }

    Job& job_;
    std::vector<Problem>& problems_;
    int line_ = 0;
    bool versionSeen_ = false;
    bool targetSeen_ = false;
    bool open_ = false;
};

}  // namespace

Job ReadJob(const std::string& path, std::vector<Problem>* problems) {
    std::ifstream file(path);
    if (!file) {
        problems->push_back({0, "cannot read the job file '" + path + "'"});
        return {};
    }
    return ReadJob(file, problems);
}

Job ReadJob(std::istream& statements, std::vector<Problem>* problems) {
    Job job;
    Reader reader(&job, problems);
    int number = 0;
    for (std::string line; std::getline(statements, line);) {
        reader.Statement(++number, line);
    }
    reader.Finish();
    return job;
}

}  // namespace sktwin::runtime
