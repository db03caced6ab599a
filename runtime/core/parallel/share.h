#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace catena {

/// A range [begin, end) of an array, or of the work on it.
struct Share {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
    friend bool operator==(const Share&, const Share&) = default;
};

/// The range of [0, n) that thread `index` of `count` works on. Cores need not share a cache
/// (sockets, chiplets; docs/performance.md, "Near and far processors"), and what another core wrote
/// arrives slowly. All loops therefore share arrays by this one rule, along the outermost dimension
/// where they can, so that a thread mostly reads what it wrote itself.
inline Share share_of(int64_t n, int64_t index, int64_t count) {
    return {n * index / count, n * (index + 1) / count};
}

/// Work that is divided into units, each of which takes `unit_cost`.
struct Work {
    int64_t units = 0;
    double unit_cost = 0;
    double cost() const { return unit_cost * double(units); }
};

struct WorkPart {
    int work = 0;  ///< Index of the Work, in the list given to share_work().
    Share units;
};

/// The pieces that one of several threads works on.
struct ThreadWork {
    std::vector<WorkPart> parts;
    double cost = 0;
};

/// Distributes independent pieces of work over threads. A piece with at least `least_cost` for
/// every thread is divided by share_of(). A smaller one is divided into as many parts as reach that
/// cost, at least one, which go to the threads with the least work.
std::vector<ThreadWork> share_work(std::span<const Work> all, double least_cost, int threads);

}  // namespace catena
