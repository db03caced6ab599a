#pragma once

#include <cstdint>
#include <vector>

#include "codegen/kernel/plan.h"

namespace catena::codegen::cuda {

/// How a collapsed kernel is laid over the threads of a grid.
struct Layout {
    enum class Kind : uint8_t {
        map,      ///< Nothing is reduced: a thread takes steps of the domain.
        rows,     ///< The innermost dimension is reduced: neighbouring threads share a row.
        columns,  ///< It is kept: neighbouring threads take neighbouring columns.
    };
    Kind kind = Kind::map;
    int vector =
        1;  ///< Elements of the innermost dimension in one step, at most 16 bytes each operand.
    int reduce_threads =
        1;                ///< Threads that share what is reduced into one result; a power of two.
    int threads = 256;    ///< Of a block, a multiple of reduce_threads.
    bool chains = false;  ///< A thread adds more than 64 values: in short sums, as on the CPU.
    bool wide_index = false;        ///< Indices need 64 bits.
    bool streaming = false;         ///< Stores are not to stay in the caches.
    bool scalars_by_value = false;  ///< They stand behind the numbers of the launch.
    int64_t groups = 0;  ///< Results, or steps of a map; what blocks share out among them.

    int groups_per_block() const { return threads / reduce_threads; }
    /// Blocks that give every group a thread (reduce_threads of them); a launch may use fewer.
    int64_t blocks() const { return (groups + groups_per_block() - 1) / groups_per_block(); }
    friend bool operator==(const Layout&, const Layout&) = default;
};

/// `alignments`: byte addresses of operands (inputs, then outputs) are multiples of these; 16 where
/// it is empty. A step has `most_vector` elements at most.
Layout layout_of(const KernelGeometry& geometry, const std::vector<int64_t>& alignments = {},
                 int most_vector = 8);

/// Sizes (the innermost in steps), the full size of a split dimension, and the strides that the
/// text does not know.
std::vector<int64_t> kernel_numbers(const KernelGeometry& geometry, const Layout& layout);

/// When reductions are cut in two launches on this target. With open sizes, they are not: the
/// number of blocks depends on the sizes.
SplitRule split_rule(bool any_size);

}  // namespace catena::codegen::cuda
