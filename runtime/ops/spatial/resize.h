#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

/// Images (N, C, H, W) resized to (N, C, H2, W2).
/// - x: (N, C, H, W).
/// - output_shape: (H2, W2).
/// - mode: "bilinear", or "nearest", which takes the pixel at or before the place.
/// - align_corners: Whether the outermost pixels stay the outermost ones (bilinear only); else the
///   borders stay.
Variable resize_images(const Operand& x, const Dims& output_shape,
                       const std::string& mode = "bilinear", bool align_corners = true);

}  // namespace catena
