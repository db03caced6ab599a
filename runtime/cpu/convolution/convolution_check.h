#pragma once

#include <memory>

#include "runtime/cpu/convolution/convolution_primitive.h"

namespace catena {

// oneDNN 2.6.3 with AVX-512 computes some convolutions wrong, without an error: gradients of
// weights of windows with gaps and steps (jit:avx512_core, dilation and stride of 2 and more,
// padding of 16 and more), results that are never written where the window is wider than the image
// (brgconv), and gradients of weights that no element meets (jit_bf16). So what is unusual is tried
// before it is used.

/// Whether sizes are unusual, so that a primitive must be tested: windows with gaps, windows that
/// are larger than the image, and windows of which a part lies in the padding wherever they are.
bool is_unusual(const ConvolutionSizes& sizes);

/// Whether a primitive is right: computes one convolution of small integers, whose sums are exact,
/// into memory that holds NaN, and compares a sample of its elements with the definition.
bool is_right(const std::shared_ptr<const ConvolutionPrimitive>& primitive,
              ConvolutionDirection direction, const ConvolutionSizes& sizes);

}  // namespace catena
