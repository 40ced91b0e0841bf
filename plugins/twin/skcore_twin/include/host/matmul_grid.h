// Licensed under the Apache License, Version 2.0.
//
// How cores share one product (ascendc_data_cube.md 11.3): a grid of equal parts, the last ones of an axis shorter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/matmul_blocks.h"

namespace sktwin::tiling {

// One axis of the grid: part sizes are multiples of `align` where the axis is cut.
struct GridAxis {
    int64_t size = 0;
    int64_t align = 16;
    int64_t fixed = -1;
    Range range;
};

struct Part {
    int64_t size = 0;
    int64_t count = 0;
    bool exact = false;  // no part is shorter
};

inline std::vector<Part> PartsOf(const GridAxis& axis, int64_t cores) {
    std::vector<Part> parts;
    const auto add = [&](int64_t size) {
        const int64_t count = CeilDiv(axis.size, size);
        if (count <= cores && (parts.empty() || parts.back().count != count)) {
            parts.push_back({size, count, axis.size % size == 0 || size > axis.size});
        }
    };
    if (axis.fixed > 0) {
        add(axis.fixed);
        return parts;
    }
    for (int64_t count = 1; count <= cores; ++count) {
        const int64_t size = count == 1 ? axis.size : RoundUp(CeilDiv(axis.size, count), axis.align);
        if (size <= axis.range.most && size >= std::min(axis.range.least, axis.size)) {
            add(size);
        }
    }
    return parts;
}

struct Grid {
    Part m;
    Part n;
    Part k;

    int64_t Cores() const { return m.count * n.count * k.count; }
    int64_t Work() const { return m.size * n.size * k.size; }
    bool Exact() const { return m.exact && n.exact && k.exact; }
    bool Before(const Grid& other) const {
        return Work() != other.Work() ? Work() < other.Work() : Cores() < other.Cores();
    }
};

// The grid with the least work a core. One without shorter parts is taken instead, unless it needs twice the time.
inline std::optional<Grid> ChooseGrid(const GridAxis& m, const GridAxis& n, const GridAxis& k, int64_t cores) {
    std::optional<Grid> best;
    std::optional<Grid> bestExact;
    const auto keep = [](std::optional<Grid>* kept, const Grid& grid) {
        if (!*kept || grid.Before(**kept)) {
            *kept = grid;
        }
    };
    for (const Part& partM : PartsOf(m, cores)) {
        for (const Part& partN : PartsOf(n, cores / partM.count)) {
            for (const Part& partK : PartsOf(k, cores / (partM.count * partN.count))) {
                const Grid grid{partM, partN, partK};
                keep(&best, grid);
                if (grid.Exact()) {
                    keep(&bestExact, grid);
                }
            }
        }
    }
    return bestExact && bestExact->Work() <= 2 * best->Work() ? bestExact : best;
}

}  // namespace sktwin::tiling
