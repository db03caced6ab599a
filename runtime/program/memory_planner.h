#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace catena::program {

/// The lifetime of a buffer: from step `first` to step `last`, inclusive.
struct Lifetime {
    int first = 0;
    int last = 0;
    int64_t bytes = 0;
};

struct MemoryPlan {
    std::vector<int64_t> offsets;  ///< By buffer, multiples of the alignment.
    int64_t bytes = 0;             ///< Size of the arena.
};

/// Offsets such that buffers needed at the same step do not overlap.
MemoryPlan plan_memory(std::span<const Lifetime> buffers, int64_t alignment = 64);

}  // namespace catena::program
