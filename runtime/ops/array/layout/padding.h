#pragma once

#include <cstdint>
#include <span>

#include "runtime/graph/op/op.h"

namespace catena {

// Padding beyond a constant around one array (slicing.h): by what the array holds, and of several.

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
