#pragma once

#include "frontend/init/initializer.h"

namespace catena::initializers {

// Filters for W [n, n or 1, k, k, ...] of layers that change the size of images by linear
// interpolation, with a stride of (k + 1) / 2: channel i of the result comes from channel i alone
// (Long et al. 2015, https://arxiv.org/abs/1411.4038). ShapeError for other shapes.

/// Each element is the product over the axes of 1 - |i - centre| / ((k + 1) / 2).
struct UpsamplingDeconvFilter : Initializer {
    explicit UpsamplingDeconvFilter(OptionalDtype dtype = {});
};
/// The same divided by its sum.
struct DownsamplingConvFilter : Initializer {
    explicit DownsamplingConvFilter(OptionalDtype dtype = {});
};

}  // namespace catena::initializers
