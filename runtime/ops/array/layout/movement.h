#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "runtime/graph/op/op.h"

namespace catena {

// Views of the same elements: no arithmetic, and no copy if strides suffice.

/// The elements of x, row-major, in another shape. ShapeError where the numbers of elements differ.
/// - shape: That of the result; one size may be -1, and follows from the others.
Variable reshape(const Operand& x, const Shape& shape);
/// x with its axes in another order: axis i of the result is axis axes[i] of x.
/// - axes: All axes of x; reversed if not given.
Variable transpose(const Operand& x, const Axes& axes = {});
/// x repeated along axes of size 1 and new leading axes, until it has the shape (NumPy's rules).
/// ShapeError where it cannot be.
/// - shape: That of the result.
Variable broadcast_to(const Operand& x, const Shape& shape);
/// Arrays broadcast to their common shape (NumPy's rules). ShapeError where there is none.
/// - args, xs: Arrays.
Variables broadcast(std::span<const Variable> xs,
                    const std::source_location& at = std::source_location::current());

/// x with a new axis of size 1.
/// - axis: Its place in the result; -1 is after the last.
Variable expand_dims(const Operand& x, int64_t axis);
/// x without axes of size 1. ShapeError for an axis of another size.
/// - axis: One or several; all of size 1 if not given.
Variable squeeze(const Operand& x, const Axes& axes = {});
template <std::integral T>
Variable squeeze(const Operand& x, T axis) {
    return squeeze(x, Axes{int64_t(axis)});
}
namespace functions {  // An object keeps its default arguments where it is passed on.

struct Flatten {
    Variable operator()(const Operand& x, int64_t start_axis = 0, int64_t end_axis = -1) const;
};

}  // namespace functions
/// The elements in one axis, row-major.
///
/// In C++, as PyTorch's flatten, (x, start_axis = 0, end_axis = -1): the axes from start_axis to
/// end_axis, both included, become one. ShapeError where start_axis is behind end_axis.
inline constexpr functions::Flatten flatten;
/// x with two axes exchanged, as NumPy's swapaxes.
/// - axis1, axis2: The axes.
Variable swapaxes(const Operand& x, int64_t axis1, int64_t axis2);
/// x with axes at other places; the others keep their order, as NumPy's moveaxis. ShapeError unless
/// both name equally many axes, each once.
/// - source: An axis of x, or several.
/// - destination: Its place in the result, or theirs.
Variable moveaxis(const Operand& x, const Axes& source, const Axes& destination);
Variable moveaxis(const Operand& x, int64_t source, int64_t destination);
/// x with an axis moved back until it stands before another, as NumPy's rollaxis.
/// - axis: The axis that is moved.
/// - start: The axis before which it stands afterwards.
Variable rollaxis(const Operand& x, int64_t axis, int64_t start = 0);
/// x repeated as a whole, reps[i] times along axis i; missing reps or axes count as 1 in front.
/// NumPy's function.
/// - reps: How often along each axis; one number counts for the last axis.
Variable tile(const Operand& x, const Dims& reps);
inline Variable tile(const Operand& x, int64_t reps) { return tile(x, Dims{reps}); }
/// Elements repeated along an axis, as NumPy's repeat. ShapeError unless there is one number of
/// repeats, or one for each element of the axis.
/// - repeats: How often each element, or one number for each.
/// - axis: Along which elements are repeated; if not given, the flattened array.
Variable repeat(const Operand& x, int64_t repeats, int64_t axis);
Variable repeat(const Operand& x, std::span<const int64_t> repeats, int64_t axis);

/// A view of the elements of x; its first element is `offset` elements after x's.
inline Array view_from(const Array& x, const Shape& shape, const Strides& strides,
                       int64_t offset = 0) {
    return x.view(shape, strides, x.body()->offset + offset);
}

/// Strides of a view of a strided array in another shape; false when the reshape needs a copy.
bool reshape_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& result);

/// A host kernel for ops that have a view: it copies the view's elements.
void copy_of_view(const KernelCall& call);

}  // namespace catena
