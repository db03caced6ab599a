#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/core/array/shape.h"
#include "runtime/core/memory/small_vector.h"

namespace catena {

/// A loop over the indices of a shape in row-major order, with the strides of several operands.
/// Neighbouring dimensions that are uniform in all operands are merged.
struct LoopNest {
    int rank = 0;
    int64_t sizes[max_rank];
    using Steps = std::array<int64_t, max_rank>;
    SmallVector<Steps, 6> strides;  ///< The strides of each operand, in elements.

    int64_t inner() const { return rank == 0 ? 1 : sizes[rank - 1]; }
    int64_t inner_stride(size_t operand) const {
        return rank == 0 ? 0 : strides[operand][rank - 1];
    }
    /// Offset of an operand at a row-major position that ignores the innermost dimension.
    int64_t row_offset(size_t operand, int64_t row) const {
        int64_t offset = 0;
        for (int i = rank - 2; i >= 0; --i) {
            offset += row % sizes[i] * strides[operand][i];
            row /= sizes[i];
        }
        return offset;
    }
};

/// Strides of an operand of `shape` when it is broadcast to `target`: 0 along repeated dimensions.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target);

/// The nest over `shape`; each operand's strides are of its rank. Dimensions of size 1 vanish.
LoopNest make_loop_nest(const Shape& shape, std::span<const Strides> operands);

}  // namespace catena
