#pragma once

#include <optional>

#include "runtime/graph/op.h"

namespace catena {

// NumPy's and ChainerX's further names and forms for moving elements; the basic ones are in
// movement.h, joining.h, slicing.h and indexing.h.

Variable ravel(const Operand& x);  ///< flatten(x).
// New axes of size 1 until there are so many; atleast_3d makes [1, n, 1] of a vector and [m, n, 1]
// of a matrix.
Variable atleast_1d(const Operand& x);
Variable atleast_2d(const Operand& x);
Variable atleast_3d(const Operand& x);

/// Reverses the order along these axes; without axes, along all.
Variable flip(const Operand& x, const Axes& axes = {});
/// Moves elements by `shift` places along the axis, what leaves at the end coming in at the
/// beginning; without an axis, in the flattened array.
Variable roll(const Operand& x, int64_t shift, std::optional<int64_t> axis = {});
Variable repeat(const Operand& x, int64_t repeats);  ///< Of the flattened x.

/// concat, along axis 0 if no other is given; none: of the flattened arrays.
Variable concatenate(std::span<const Variable> xs, std::optional<int64_t> axis = 0,
                     const std::source_location& at = std::source_location::current());
Variable concatenate(std::initializer_list<Variable> xs, std::optional<int64_t> axis = 0,
                     const std::source_location& at = std::source_location::current());

// split_axis along an axis: equal parts (ShapeError where the size is not divisible), or parts that
// begin at these places.
Variables split(const Operand& x, int64_t sections, int64_t axis = 0);
Variables split(const Operand& x, const std::vector<int64_t>& places, int64_t axis = 0);
Variables vsplit(const Operand& x, int64_t sections);  ///< Axis 0 of two or more.
Variables vsplit(const Operand& x, const std::vector<int64_t>& places);
Variables hsplit(const Operand& x, int64_t sections);  ///< Axis 1, of a vector 0.
Variables hsplit(const Operand& x, const std::vector<int64_t>& places);
Variables dsplit(const Operand& x, int64_t sections);  ///< Axis 2 of three or more.
Variables dsplit(const Operand& x, const std::vector<int64_t>& places);

/// What take does with an index outside the axis: an error, modulo its size, or the nearest end.
enum class TakeMode { raise, wrap, clip };
Variable take(const Operand& x, const Operand& indices, int64_t axis, TakeMode mode);
Variable take_flat(const Operand& x, const Operand& indices,
                   TakeMode mode = TakeMode::raise);  ///< Of the flattened x.

/// x[i + 1] - x[i] along the axis, n times.
Variable diff(const Operand& x, int64_t n = 1, int64_t axis = -1);

/// condition ? x : y, of the default dtype of the numbers (bool, int32, or config().dtype).
Variable where(const Operand& condition, const Scalar& x, const Scalar& y);
/// x with the sign of `sign`. Its gradient is that of |x| times the sign.
Variable copysign(const Operand& x, const Operand& sign);
/// A new array of x's elements; differentiable.
Variable copy(const Operand& x);

}  // namespace catena
