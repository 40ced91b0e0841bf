// Licensed under the Apache License, Version 2.0.
//
// Base blocks of a product on one core (ascendc_data_cube.md 11.1): the largest ones, up to the recommended sizes, that
// fit the memories of the cube. Sizes are in elements, memories in bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

namespace sktwin::tiling {

constexpr int64_t CeilDiv(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
constexpr int64_t RoundUp(int64_t value, int64_t unit) { return CeilDiv(value, unit) * unit; }

// Allowed sizes of one axis, both ends included.
struct Range {
    int64_t least = 1;
    int64_t most = std::numeric_limits<int32_t>::max();
};

// One axis of a block: what it divides, what it is a multiple of, what is asked for.
struct BlockAxis {
    int64_t size = 0;
    int64_t align = 16;
    int64_t preferred = 0;
    int64_t fixed = -1;
    Range range;

    // Sizes to try, the preferred one first; empty when the demands contradict each other.
    std::vector<int64_t> Candidates() const {
        if (fixed > 0) {
            const bool allowed = fixed % align == 0 && fixed >= range.least && fixed <= range.most;
            return allowed ? std::vector<int64_t>{fixed} : std::vector<int64_t>{};
        }
        const int64_t least = RoundUp(std::max<int64_t>(range.least, 1), align);
        const int64_t most = range.most / align * align;
        std::vector<int64_t> sizes;
        for (int64_t at = std::min(std::max(std::min(preferred, RoundUp(size, align)), least), most); at >= least;
             at -= align) {
            sizes.push_back(at);
        }
        return sizes;
    }
};

struct BlockProblem {
    BlockAxis m;
    BlockAxis n;
    BlockAxis k;
    int64_t bitsA = 16;
    int64_t bitsB = 16;
    int64_t fractalA = 16;  // M of A in L1 is rounded up to this, N of B to the next one
    int64_t fractalB = 16;
    int64_t biasBytes = 0;    // of one element, 0 without bias
    int64_t resultBytes = 0;  // of one element when a core gets its block into UB, else 0
    int64_t l0a = 0;
    int64_t l0b = 0;
    int64_t l0c = 0;
    int64_t l1 = 0;
    int64_t ub = 0;
    int64_t biasTable = 0;
};

struct Blocks {
    int64_t m = 0;
    int64_t n = 0;
    int64_t k = 0;
    int64_t l0Buffers = 1;  // of A and of B
    int64_t l1Buffers = 1;
    int64_t steps = 1;  // blocks of K in one load into L1

    int64_t BytesOfL1(const BlockProblem& problem) const {
        const int64_t a = RoundUp(m, problem.fractalA) * k * problem.bitsA / 8;
        const int64_t b = RoundUp(n, problem.fractalB) * k * problem.bitsB / 8;
        return (a + b) * steps * l1Buffers + n * problem.biasBytes;
    }
    bool Fits(const BlockProblem& problem) const {
        constexpr int64_t kAccumulator = 4;
        return m * k * problem.bitsA / 8 * l0Buffers <= problem.l0a &&
               n * k * problem.bitsB / 8 * l0Buffers <= problem.l0b && m * n * kAccumulator <= problem.l0c &&
               m * n * problem.resultBytes <= problem.ub &&
               (problem.biasBytes == 0 || n * kAccumulator <= problem.biasTable) && BytesOfL1(problem) <= problem.l1;
    }
};

// Nothing when no block meets all demands.
inline std::optional<Blocks> ChooseBlocks(const BlockProblem& problem) {
    const auto rank = [](const Blocks& blocks) {
        return std::make_tuple(blocks.l0Buffers, blocks.l1Buffers, blocks.m * blocks.n, blocks.k);
    };
    std::optional<Blocks> best;
    for (const int64_t m : problem.m.Candidates()) {
        for (const int64_t n : problem.n.Candidates()) {
            for (const int64_t k : problem.k.Candidates()) {
                for (int64_t buffers = 0; buffers < 4; ++buffers) {
                    const Blocks blocks{m, n, k, 1 + buffers / 2, 1 + buffers % 2, 1};
                    if (blocks.Fits(problem) && (!best || rank(blocks) > rank(*best))) {
                        best = blocks;
                    }
                }
            }
        }
    }
    for (int64_t steps = 2; best && steps <= std::min<int64_t>(4, CeilDiv(problem.k.size, best->k)); ++steps) {
        Blocks deeper = *best;
        deeper.steps = steps;
        if (deeper.Fits(problem)) {
            best = deeper;
        }
    }
    return best;
}

}  // namespace sktwin::tiling
