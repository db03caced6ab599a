#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena {

/// A uint8 picture [C, H, W] in another size by cubic convolution (Keys 1981, a = -0.5), widened
/// where it shrinks; columns are rounded before rows are computed. The same to the bit as Pillow's
/// Image.resize((width, height), BICUBIC).
Array resampled(const Array& picture, int64_t height, int64_t width);

}  // namespace catena
