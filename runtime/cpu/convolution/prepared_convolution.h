#pragma once

#include <memory>

#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/graph/op/prepared_call.h"

namespace catena {

/// Prepares a convolution of two or, with a bias, three inputs, or one of its gradients. Null where
/// the kernel would have to convert or copy operands.
std::unique_ptr<PreparedCall> prepare_convolution(ConvolutionDirection direction,
                                                  const WindowSteps& steps, const KernelCall& call);

}  // namespace catena
