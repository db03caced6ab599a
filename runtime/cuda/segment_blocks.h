#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// Keeps track of which parts of some memory segments are in use. A request takes the smallest free
/// block that it fits into, and leaves the rest of it; free neighbours are merged. It never calls
/// the driver.
class SegmentBlocks {
public:
    struct Segment {
        CUdeviceptr address;
        size_t bytes;
    };

    void add(const Segment& segment);
    /// Takes a block; 0 where no free block is large enough.
    CUdeviceptr take(size_t bytes);
    /// Ends the use of what take() gave.
    void give_back(CUdeviceptr block);
    /// The size of a block in use: what was asked for, or a little more where the rest would have
    /// been too small to use.
    size_t size_of(CUdeviceptr block) const { return blocks_.at(block).bytes; }

    /// Segments of which no part is in use, the largest first.
    std::vector<Segment> unused() const;
    /// Forgets a segment that unused() returned.
    void remove(const Segment& segment);

private:
    struct Block {
        size_t bytes;
        CUdeviceptr segment;
        bool free;
    };
    using Blocks = std::map<CUdeviceptr, Block>;
    void set_free(Blocks::iterator block, bool free);
    /// Merges two neighbouring blocks into the first.
    void join(Blocks::iterator block, Blocks::iterator next);

    Blocks blocks_;
    std::map<CUdeviceptr, size_t> segments_;
    std::set<std::pair<size_t, CUdeviceptr>> free_;
};

}  // namespace catena::cuda
