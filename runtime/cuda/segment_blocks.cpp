#include "runtime/cuda/segment_blocks.h"

#include <algorithm>
#include <iterator>

namespace catena::cuda {

namespace {

/// Smaller requests do not come here.
constexpr size_t smallest_rest = 128 << 10;

}  // namespace

void SegmentBlocks::set_free(Blocks::iterator block, bool free) {
    block->second.free = free;
    const std::pair key(block->second.bytes, block->first);
    if (free)
        free_.insert(key);
    else
        free_.erase(key);
}

void SegmentBlocks::add(const Segment& segment) {
    segments_[segment.address] = segment.bytes;
    set_free(blocks_.emplace(segment.address, Block{segment.bytes, segment.address, false}).first,
             true);
}

CUdeviceptr SegmentBlocks::take(size_t bytes) {
    const auto fitting = free_.lower_bound({bytes, 0});
    if (fitting == free_.end()) return 0;
    const CUdeviceptr address = fitting->second;
    const auto block = blocks_.find(address);
    set_free(block, false);
    if (const size_t rest = block->second.bytes - bytes; rest >= smallest_rest) {
        block->second.bytes = bytes;
        set_free(blocks_.emplace(address + bytes, Block{rest, block->second.segment, false}).first,
                 true);
    }
    return address;
}

void SegmentBlocks::join(Blocks::iterator block, Blocks::iterator next) {
    block->second.bytes += next->second.bytes;
    blocks_.erase(next);
}

void SegmentBlocks::give_back(CUdeviceptr address) {
    auto block = blocks_.find(address);
    CATENA_ASSERT(block != blocks_.end() && !block->second.free, "a block is given back twice");
    auto joins = [&](Blocks::iterator other) {
        return other != blocks_.end() && other->second.free &&
               other->second.segment == block->second.segment;
    };
    if (const auto next = std::next(block); joins(next)) {
        set_free(next, false);
        join(block, next);
    }
    if (block != blocks_.begin())
        if (const auto before = std::prev(block); joins(before)) {
            set_free(before, false);
            join(before, block);
            block = before;
        }
    set_free(block, true);
}

std::vector<SegmentBlocks::Segment> SegmentBlocks::unused() const {
    std::vector<Segment> found;
    for (auto largest = free_.rbegin(); largest != free_.rend(); ++largest)
        if (const auto segment = segments_.find(largest->second);
            segment != segments_.end() && segment->second == largest->first)
            found.push_back({segment->first, segment->second});
    return found;
}

void SegmentBlocks::remove(const Segment& segment) {
    const auto block = blocks_.find(segment.address);
    set_free(block, false);
    blocks_.erase(block);
    segments_.erase(segment.address);
}

}  // namespace catena::cuda
