#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// Element [i, j, ...] is element offset + i * strides[0] + j * strides[1] + ... of the flattened
/// x: windows, diagonals and repeats in one copy. Strides count elements. Where elements of x occur
/// several times, their gradients are summed. ShapeError unless all elements named exist.
Variable as_strided(const Operand& x, const Shape& shape, const Strides& strides,
                    int64_t offset = 0);

}  // namespace catena
