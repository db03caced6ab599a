#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// Which parts of some segments of memory are in use. A request takes the smallest free block that
/// it fits into, and leaves the rest of it; free neighbours become one block again. Asks no driver.
class SegmentBlocks {
public:
    struct Segment {
        CUdeviceptr address;
        size_t bytes;
    };

    void add(const Segment& segment);
    /// 0 where no block is large enough.
    CUdeviceptr take(size_t bytes);
    /// Ends the use of what take() gave.
    void give_back(CUdeviceptr block);
    /// Of a block in use: what was asked for, or a little more where the rest would have been too
    /// small for anybody.
    size_t size_of(CUdeviceptr block) const { return blocks_.at(block).bytes; }

    /// Segments of which no part is in use, the largest first.
    std::vector<Segment> unused() const;
    /// Forgets one of them.
    void remove(const Segment& segment);

private:
    struct Block {
        size_t bytes;
        CUdeviceptr segment;
        bool free;
    };
    using Blocks = std::map<CUdeviceptr, Block>;
    void set_free(Blocks::iterator block, bool free);
    /// One block of two neighbours, the first of which stays.
    void join(Blocks::iterator block, Blocks::iterator next);

    Blocks blocks_;
    std::map<CUdeviceptr, size_t> segments_;
    std::set<std::pair<size_t, CUdeviceptr>> free_;
};

}  // namespace catena::cuda
