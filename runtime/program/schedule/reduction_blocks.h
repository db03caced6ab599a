#pragma once

#include <cstdint>

namespace catena::program {

/// How a reduction is divided into blocks of equal size, of which the last may be shorter, whose
/// results are combined in their order. It depends on the sizes alone, so that results do not
/// depend on the number of threads.
struct ReductionBlocks {
    int64_t size = 1;  ///< The size of a block.
    int64_t count = 1;
};

/// Host kernels with so few elements per block would spend their time beginning blocks.
constexpr int64_t host_elements_per_block = 32 * 1024;
constexpr int64_t host_most_blocks = 1024;

/// The blocks of a reduced dimension of `size`, `beside` elements of the other dimensions belong to
/// each index of it.
ReductionBlocks reduction_blocks(int64_t size, int64_t beside, int64_t elements_per_block,
                                 int64_t most_blocks);

/// The blocks of the rows whose columns are accumulated in memory; `beside` rows belong to each
/// index of the first dimension.
ReductionBlocks column_blocks(int64_t rows, int64_t beside);

}  // namespace catena::program
