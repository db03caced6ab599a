#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace catena {

/// Part of an array, or of the work on it.
struct Share {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
    friend bool operator==(const Share&, const Share&) = default;
};

/// What thread `index` of `count` works on, of n. Cores need not share a cache (sockets, chiplets;
/// docs/performance.md, "Near and far processors"), and what another core wrote arrives slowly. So
/// threads share each array by this one rule, along its outermost dimension where they can: a
/// thread then mostly reads what it wrote itself, from launch to launch and from step to step.
inline Share share_of(int64_t n, int64_t index, int64_t count) {
    return {n * index / count, n * (index + 1) / count};
}

/// Work that is divided into units, of which each takes `unit_cost`.
struct Work {
    int64_t units = 0;
    double unit_cost = 0;
    double cost() const { return unit_cost * double(units); }
};

struct WorkPart {
    int work = 0;  ///< Which of those given.
    Share units;
};

/// What one of several threads does.
struct ThreadWork {
    std::vector<WorkPart> parts;
    double cost = 0;
};

/// How threads share independent pieces of work: each of them by share_of() if every thread gets at
/// least `least_cost` of it. A smaller one is divided into as many parts as reach that, at least
/// one, which go to the threads that have least to do.
std::vector<ThreadWork> share_work(std::span<const Work> all, double least_cost, int threads);

}  // namespace catena
