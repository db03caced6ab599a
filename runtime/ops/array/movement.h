#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "runtime/graph/op.h"

namespace catena {

// Views of the same elements: no arithmetic, and no copy if strides suffice.

/// One size may be -1 and follows from the others. ShapeError when the element counts differ.
Variable reshape(const Operand& x, const Shape& shape);
/// Output axis i is input axis axes[i]; without axes the order is reversed.
Variable transpose(const Operand& x, const Axes& axes = {});
/// Repeats x along axes of size 1 and new leading axes (NumPy's rules).
Variable broadcast_to(const Operand& x, const Shape& shape);
/// All of them at their common shape.
Variables broadcast(std::span<const Variable> xs,
                    const std::source_location& at = std::source_location::current());

/// A new axis of size 1 at `axis` of the result; -1 is after the last.
Variable expand_dims(const Operand& x, int64_t axis);
/// Removes these axes, which must have size 1; without axes, all of size 1.
Variable squeeze(const Operand& x, const Axes& axes = {});
template <std::integral T>
Variable squeeze(const Operand& x, T axis) {
    return squeeze(x, Axes{int64_t(axis)});
}
Variable flatten(const Operand& x);
Variable swapaxes(const Operand& x, int64_t axis1, int64_t axis2);
/// Moves axes to new places; the others keep their order.
Variable moveaxis(const Operand& x, const Axes& source, const Axes& destination);
Variable moveaxis(const Operand& x, int64_t source, int64_t destination);
/// Moves `axis` back until it stands before `start`.
Variable rollaxis(const Operand& x, int64_t axis, int64_t start = 0);
/// Repeats the whole array reps[i] times along axis i; missing reps or axes count as 1 in front.
Variable tile(const Operand& x, const Dims& reps);
inline Variable tile(const Operand& x, int64_t reps) { return tile(x, Dims{reps}); }
/// Repeats each element `repeats` times along `axis`.
Variable repeat(const Operand& x, int64_t repeats, int64_t axis);
/// Element i of `axis` repeats[i] times.
Variable repeat(const Operand& x, std::span<const int64_t> repeats, int64_t axis);

/// A view of the elements of x; its first element is `offset` elements after x's.
inline Array view_from(const Array& x, const Shape& shape, const Strides& strides,
                       int64_t offset = 0) {
    return x.view(shape, strides, x.body()->offset + offset);
}

/// Strides of a contiguous-order reshape of a strided array, false when it needs a copy.
bool reshape_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& result);

/// Kernel of ops with a view: copies the view's elements.
void copy_of_view(const KernelCall& call);

}  // namespace catena
