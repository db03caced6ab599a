#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/memory/checked_memory.h"

namespace catena {

/// The scratch memory of a call, handed out in pieces: memory that the caller has planned for it,
/// or a block of the pool where that is too small. Where memory is checked, each piece is a block
/// of its own (runtime/core/memory/checked_memory.h).
class Scratch {
public:
    /// The alignment of pieces, and of planned memory.
    static constexpr size_t alignment = 64;
    static constexpr size_t rounded(size_t bytes) {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    /// `bytes`: the sum of the pieces, each of them rounded().
    Scratch(std::span<std::byte> planned, size_t bytes);
    /// The next piece; null for no bytes.
    std::byte* take(size_t bytes);

private:
    Array block_;
    std::vector<checked_memory::Block> apart_;
    std::span<std::byte> left_;
};

/// A block of the pool for so many floats, uninitialised.
Array float_memory(int64_t floats);

}  // namespace catena
