#pragma once

#include "runtime/cpu/convolution/tailed_convolution.h"
#include "runtime/ops/declare/block.h"

namespace catena {

/// The tailed form (runtime/ops/declare/tail.h) of `convolution`, which takes x and W; attributes
/// are its own and the tail's. Where `pays`, its calls are made in blocks by `block`.
const OpDef& define_tailed_convolution(const OpDef& convolution, OtherOp block, BlockRule pays);

/// The operands of a tailed call, without x and W.
TailedConvolution::Operands operands_of_tail(std::span<const Array> inputs,
                                             const Attributes& attributes);

}  // namespace catena
