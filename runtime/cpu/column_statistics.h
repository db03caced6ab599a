#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// The sum of each column of a float32 matrix, and the sum of squares of its differences from its
/// mean, gathered while rows are in a cache: block by block of rows, in any order, by threads of
/// which no two add to one column of a block. A block stores a centre c, the mean of its first
/// rows, and the sums of d = x - c and d^2. These are added up in the order of the blocks, in
/// float64:
///     sum (x - mean)^2 = sum over blocks of (sum d^2 + e (2 sum d + n e)),  e = c - mean
/// (T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance", 1983),
/// so that a large mean cancels nothing. In a block of n rows whose first m give c, mean and c are
/// apart by at most sqrt(n / m) deviations of the block, whatever the rows are: the rounding errors
/// of adding n squares count n / m times at worst, if the first rows are unlike all others. So
/// blocks have at most some hundred rows.
class ColumnStatistics {
public:
    /// The number of rows that give the centre c, and about how many rows should be added at a
    /// time.
    static constexpr int64_t rows_of_centre = 8, rows_together = 32;

    struct Rows {
        const float* first;  ///< The element of the first row in the first of some columns.
        int64_t count, step;
        /// How many groups of `count` rows there are, and the distance between them.
        int64_t lines = 1, line_step = 0;
    };
    struct Columns {
        int64_t begin, end;
    };

    /// Starts anew for so many blocks and columns. Blocks to which nothing is added do not count.
    void prepare(int64_t blocks, int64_t columns);
    /// Adds rows of a block. `begins`: these are the first rows of the block for these columns.
    void add(int64_t block, const Rows& rows, const Columns& columns, bool begins);
    /// Adds one column whose `count` elements are contiguous and are all of the block's.
    void add_line(int64_t block, int64_t column, const float* line, int64_t count);
    /// Computes the sums, one number for each column. False if one of them is not finite: then they
    /// must be computed by the definition.
    bool finish(float* sums, float* squares) const;
    /// Releases the memory.
    void release() { memory_ = Array(); }

private:
    int64_t columns_ = 0;
    Array memory_;  ///< The sums c, sum d and sum d^2: [blocks, 3, columns].
    float* blocks_ = nullptr;
    std::vector<int64_t> rows_;  ///< The number of rows of each block.
};

}  // namespace catena
