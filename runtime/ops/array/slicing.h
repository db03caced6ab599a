#pragma once

#include <cstdint>
#include <span>

#include "runtime/graph/op.h"

namespace catena {

/// Elements begin[i] + k * step[i], k in [0, size[i]), of every axis i. Steps may be negative, not
/// 0; all elements named must exist (ShapeError).
Variable strided_slice(const Operand& x, const Dims& begin, const Dims& step, const Dims& size);
/// `size` elements of one axis from `begin` on; all of the others.
Variable slice_axis(const Operand& x, int64_t axis, int64_t begin, int64_t size, int64_t step = 1);
/// The adjoint of strided_slice: x at these indices of an array of zeros.
Variable place_slice(const Operand& x, const Dims& begin, const Dims& step, const Shape& shape);

/// Reverses the order along the axis.
Variable flip(const Operand& x, int64_t axis);
Variable flipud(const Operand& x);  ///< flip of axis 0.
Variable fliplr(const Operand& x);  ///< flip of axis 1.

/// Adds `before[i]` and `after[i]` elements of `value` around axis i.
Variable pad(const Operand& x, const Dims& before, const Dims& after, const Scalar& value = 0);
/// Padding modes of NumPy: repeat the edge element; mirror without it; mirror with it.
enum class PadMode { edge, reflect, symmetric };
/// ShapeError when mirrored padding exceeds the array once.
Variable pad(const Operand& x, const Dims& before, const Dims& after, PadMode mode);
/// Arrays whose first sizes differ, stacked; filled to `length` (0: the longest) with `padding`.
Variable pad_sequence(std::span<const Variable> xs, int64_t length = 0, const Scalar& padding = 0,
                      const std::source_location& at = std::source_location::current());

}  // namespace catena
