#pragma once

// Calls of all ranks of a group over bytes in memory, below those of Communicator.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "runtime/comm/collectives/reduction.h"
#include "runtime/core/dtype/dtype.h"

namespace catena {

/// Bytes in the memory of the host, or of the device that the collectives are for.
struct Block {
    /// The address; null for a block that this rank neither gives nor gets.
    void* data = nullptr;
    /// The size, which every rank knows.
    size_t bytes = 0;
};

/// How the ranks of a group move and add blocks. All ranks make the same call with the same sizes;
/// `call` names it in errors. `blocks` and `parts` have one block for each rank. Each function
/// returns how many bytes this rank has sent; where a library sends them, how many it has to send.
/// Those of a device may return before the blocks are moved: see take_completion().
class Collectives {
public:
    virtual ~Collectives() = default;

    /// Copies root's block into that of every other rank.
    virtual int64_t broadcast(const char* call, int root, Block block) = 0;
    /// Copies blocks[r] of every rank r to root.
    virtual int64_t gather(const char* call, int root, std::span<const Block> blocks) = 0;
    /// Copies root's blocks[r] to rank r.
    virtual int64_t scatter(const char* call, int root, std::span<const Block> blocks) = 0;
    /// Copies blocks[r] of every rank r to all ranks.
    virtual int64_t all_gather(const char* call, std::span<const Block> blocks) = 0;
    /// Copies to_ranks[r] into from_ranks[this rank] of rank r. A rank's own block is not copied.
    /// Ranks know the sizes of their own blocks, and `largest`, which no block of any rank exceeds.
    virtual int64_t all_to_all(const char* call, std::span<const Block> to_ranks,
                               std::span<const Block> from_ranks, size_t largest) = 0;
    /// Adds parts[this rank] of all ranks into `result`, which may be that part.
    virtual int64_t reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                                   Block result, Reduction reduction, Sums sums) = 0;
    /// Adds the `count` elements at `data` of all ranks into all of them.
    virtual int64_t all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                               Reduction reduction, Sums sums) = 0;

    /// Returns when a call is done, and throws its error. Its argument says which rank is gone, or
    /// -1, for the error.
    using Completion = std::function<void(const std::function<int()>& lost_rank)>;
    /// What waits for the call that has returned last; null if it was done when it returned.
    virtual Completion take_completion() { return nullptr; }
    /// The memory that messages of a failed call may still read or write, besides the blocks.
    virtual std::shared_ptr<void> take_memory_in_use() { return nullptr; }
};

}  // namespace catena
