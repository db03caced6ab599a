#pragma once

#include <cstdint>

namespace catena {

/// Consecutive elements of an array, in row-major order, which one of several ranks has.
struct RankPart {
    int64_t begin = 0;
    int64_t size = 0;
    bool operator==(const RankPart&) const = default;
};

/// The elements of an array of `size` that a rank has. Parts differ by at most one element; of an
/// array with fewer elements than ranks some are empty.
inline RankPart part_of_rank(int64_t size, int rank, int ranks) {
    const int64_t begin = size * rank / ranks;
    return {begin, size * (rank + 1) / ranks - begin};
}

}  // namespace catena
