#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena {

/// A uint8 picture [C, H, W] resized by cubic convolution (Keys 1981, a = -0.5), whose window is
/// widened where the picture shrinks; columns are rounded before rows are computed. Equal to the
/// bit to Pillow's Image.resize((width, height), BICUBIC).
Array resampled(const Array& picture, int64_t height, int64_t width);

}  // namespace catena
