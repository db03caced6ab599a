#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/way/epilogue.h"

namespace catena {

/// Does what the epilogue asks for in a pass of its own over y, the result of a convolution, in one
/// of the two memory orders: a tail, or statistics. A bias has been added.
void apply_epilogue(const Epilogue& epilogue, const Array& y);

}  // namespace catena
