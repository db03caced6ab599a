#pragma once

#include <string>
#include <string_view>

#include "runtime/core/array/array.h"

namespace catena {

/// A PNG or JPEG as uint8 [channels, height, width]: 1 (grey), 2 (grey, alpha), 3 (red, green,
/// blue) or 4 (with alpha). Palettes are looked up, of 16 bits the upper 8 are taken, gamma is not
/// applied, and four inks (CMYK) become three colours: as Pillow does. `name` is for errors:
/// FileError for other formats, damaged files and images that declare more than file_limits()
/// allow.
Array decode_image(std::string_view bytes, const std::string& name);
Array read_image(const std::string& path);

}  // namespace catena
