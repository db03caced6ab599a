#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Windows, diagonals and repeats of the elements of x: element (i, j, ...) of the result is
/// element offset + i * strides[0] + j * strides[1] + ... of the flattened x. A copy, not a view;
/// where elements occur several times, their gradients are summed. ShapeError unless all elements
/// named exist.
/// - shape: That of the result.
/// - strides: Elements, not bytes, from one place of each axis to the next.
/// - storage_offset, offset: The first element.
Variable as_strided(const Operand& x, const Shape& shape, const Strides& strides,
                    int64_t offset = 0);

}  // namespace catena
