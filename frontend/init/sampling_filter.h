#pragma once

#include "frontend/init/initializer.h"

namespace catena::initializers {

// Filters for W [n, n or 1, k, k, ...] of layers that change the size of images by linear
// interpolation, with a stride of (k + 1) / 2: channel i of the result comes from channel i alone
// (Long et al. 2015, https://arxiv.org/abs/1411.4038). ShapeError for other shapes.

/// A filter for upsampling: each element is the product over the axes of 1 - |i - centre| / ((k +
/// 1) / 2).
struct UpsamplingDeconvFilter : Initializer {
    /// Parameters are of `dtype`.
    explicit UpsamplingDeconvFilter(OptionalDtype dtype = {});
};
/// A filter for downsampling: UpsamplingDeconvFilter divided by the sum of its elements.
struct DownsamplingConvFilter : Initializer {
    /// Parameters are of `dtype`.
    explicit DownsamplingConvFilter(OptionalDtype dtype = {});
};

}  // namespace catena::initializers
