#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// Of each column of a float32 matrix its sum, and the sum of squares of its differences from its
/// mean, gathered while rows are in a cache: block by block of rows, in any order, by threads of
/// which no two add to one column of a block. A block keeps a centre c, the mean of its first rows,
/// and the sums of d = x - c and d^2. These are added up in the order of the blocks, in float64:
///     sum (x - mean)^2 = sum over blocks of (sum d^2 + e (2 sum d + n e)),  e = c - mean
/// (T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance", 1983),
/// so that a large mean cancels nothing. In a block of n rows whose first m give c, mean and c are
/// apart by at most sqrt(n / m) deviations of the block, whatever the rows are: the rounding errors
/// of adding n squares count n / m times at worst, if the first rows are unlike all others. So
/// blocks have at most some hundred rows.
class ColumnStatistics {
public:
    /// Rows that give c, and about so many should be added at a time.
    static constexpr int64_t rows_of_centre = 8, rows_together = 32;

    struct Rows {
        const float* first;  ///< Of the first of some columns.
        int64_t count, step;
        int64_t lines = 1, line_step = 0;  ///< So often as many rows.
    };
    struct Columns {
        int64_t begin, end;
    };

    /// Begins anew. Blocks to which nothing is added do not count.
    void prepare(int64_t blocks, int64_t columns);
    /// `begins`: these are the first rows of the block for these columns.
    void add(int64_t block, const Rows& rows, const Columns& columns, bool begins);
    /// The same of one column whose `count` elements are side by side, all of the block.
    void add_line(int64_t block, int64_t column, const float* line, int64_t count);
    /// One number for each column. False if one of them is not finite: then the definition says
    /// what they are.
    bool finish(float* sums, float* squares) const;
    /// Gives the memory back.
    void release() { memory_ = Array(); }

private:
    int64_t columns_ = 0;
    Array memory_;  ///< [blocks, 3, columns]: c, sum d, sum d^2
    float* blocks_ = nullptr;
    std::vector<int64_t> rows_;  ///< Of each block.
};

}  // namespace catena
