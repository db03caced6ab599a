#pragma once

#include <cstdint>
#include <span>

#include "runtime/graph/op/op.h"

namespace catena {

/// Elements begin[i] + k * step[i], for k from 0 to size[i] - 1, of every axis i. All elements
/// named must exist (ShapeError).
/// - begin: The first element of each axis.
/// - step: From one to the next, not 0; backwards where negative.
/// - size: The sizes of the result.
///
/// By name: slice.
Variable strided_slice(const Operand& x, const Dims& begin, const Dims& step, const Dims& size);
/// The `size` elements of one axis from `begin` on, and all of the other axes.
Variable slice_axis(const Operand& x, int64_t axis, int64_t begin, int64_t size, int64_t step = 1);
/// An array of zeros with x at elements begin[i] + k * step[i] of every axis i: the gradient of
/// slice.
/// - begin: The first element of each axis.
/// - step: From one to the next, not 0; backwards where negative.
/// - shape: That of the result.
Variable place_slice(const Operand& x, const Dims& begin, const Dims& step, const Shape& shape);

/// x with the order along an axis reversed.
/// - axis: Which.
Variable flip(const Operand& x, int64_t axis);
/// flip of axis 0.
Variable flipud(const Operand& x);
/// flip of axis 1.
Variable fliplr(const Operand& x);

/// Adds `before[i]` and `after[i]` elements of `value` around axis i.
Variable pad(const Operand& x, const Dims& before, const Dims& after, const Scalar& value = 0);
/// Padding modes of NumPy: repeat the edge element; mirror without it; mirror with it.
enum class PadMode { edge, reflect, symmetric };
/// Pads x by a mode; ShapeError when mirrored padding exceeds the array once.
Variable pad(const Operand& x, const Dims& before, const Dims& after, PadMode mode);
/// Arrays whose first sizes differ, stacked: (arrays, length, ...). ShapeError where one is longer
/// than the length. Chainer's function.
/// - xs: Arrays (length, ...) of one dtype.
/// - length: That of all; the longest one's if not given (C++: 0).
/// - padding: What is put behind shorter ones.
Variable pad_sequence(std::span<const Variable> xs, int64_t length = 0, const Scalar& padding = 0,
                      const std::source_location& at = std::source_location::current());

}  // namespace catena
