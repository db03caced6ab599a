#pragma once

#include <cstdint>
#include <vector>

#include "codegen/kernel/plan.h"

namespace catena::codegen::cuda {

/// The mapping of a collapsed kernel to the threads of a grid.
struct Layout {
    enum class Kind : uint8_t {
        map,   ///< Nothing is reduced: a thread takes steps of the domain.
        rows,  ///< The innermost dimension is reduced: neighbouring threads share a row.
        /// The innermost dimension is not reduced: neighbouring threads take neighbouring columns.
        columns,
    };
    Kind kind = Kind::map;
    /// Number of elements of the innermost dimension in one step, at most 16 bytes of each operand.
    int vector = 1;
    /// Number of threads that compute one result together; a power of two.
    int reduce_threads = 1;
    int threads = 256;  ///< Number of threads of a block, a multiple of reduce_threads.
    /// Whether a thread adds more than 64 values: then in short sums, as on the CPU.
    bool chains = false;
    bool wide_index = false;  ///< Whether indices need 64 bits.
    bool streaming = false;   ///< Whether stores should not stay in the caches.
    /// Whether the scalars are passed behind the numbers of the launch.
    bool scalars_by_value = false;
    int64_t groups = 0;  ///< Number of results, or of steps of a map, which the blocks share.

    int groups_per_block() const { return threads / reduce_threads; }
    /// Number of blocks that give every group reduce_threads threads; a launch may use fewer.
    int64_t blocks() const { return (groups + groups_per_block() - 1) / groups_per_block(); }
    friend bool operator==(const Layout&, const Layout&) = default;
};

/// Chooses the layout. `alignments`: byte addresses of operands (inputs, then outputs) are
/// multiples of these; 16 where it is empty. A step has `most_vector` elements at most.
Layout layout_of(const KernelGeometry& geometry, const std::vector<int64_t>& alignments = {},
                 int most_vector = 8);

/// The numbers of a launch: sizes (the innermost in steps), the full size of a split dimension, and
/// the strides that the text does not contain.
std::vector<int64_t> kernel_numbers(const KernelGeometry& geometry, const Layout& layout);

/// The rule for splitting reductions into two launches on this target. With open sizes, they are
/// not split: the number of blocks depends on the sizes.
SplitRule split_rule(bool any_size);

}  // namespace catena::codegen::cuda
