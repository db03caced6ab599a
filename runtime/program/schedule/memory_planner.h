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
    std::vector<int64_t> offsets;  ///< The offset of each buffer, multiples of the alignment.
    int64_t bytes = 0;             ///< Size of the arena.
    int64_t kept_bytes = 0;        ///< The bytes at its beginning that are kept across `cut`.
};

/// Offsets such that buffers needed at the same step do not overlap. Those needed before step `cut`
/// and at or after it lie side by side at the beginning of the arena; all others lie either there,
/// while it is free, or behind it.
MemoryPlan plan_memory(std::span<const Lifetime> buffers, int64_t alignment = 64, int cut = -1);

}  // namespace catena::program
