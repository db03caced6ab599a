#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace catena {

/// The order of the rows of sequences of different lengths in one matrix.
enum class RowOrder : uint8_t {
    by_sequence,  ///< All steps of the first sequence, then all of the second, ...
    /// The first step of all sequences, then the second of those that have one, ...; lengths do not
    /// increase.
    by_step,
};

/// The steps of sequences of different lengths. Sequences are numbered by decreasing length here,
/// so that those which still go on at step t are the first `sizes[t]`; the rows of all steps, one
/// step after another, are the packed rows.
struct SequenceSteps {
    /// The sequences by decreasing length; equally long ones keep their order.
    std::vector<int64_t> order;
    std::vector<int64_t> sizes;   ///< The number of sequences that have step t.
    std::vector<int64_t> starts;  ///< The first packed row of step t.
    std::vector<int64_t> rows;    ///< The row in the matrix of each packed row.

    /// Finds the steps. `total` is the matrix' number of rows. With `reverse` step 0 is the last
    /// one of each sequence. ValueError beginning with `op` for a negative length, a sum that is
    /// not `total`, or increasing lengths with RowOrder::by_step.
    SequenceSteps(const char* op, std::span<const int64_t> lengths, int64_t total,
                  RowOrder row_order, bool reverse);

    /// The number of steps.
    int64_t count() const { return int64_t(sizes.size()); }
    /// The number of rows of all steps.
    int64_t total() const { return int64_t(rows.size()); }
};

}  // namespace catena
