#pragma once

#include <string>
#include <string_view>

#include "frontend/dataset/example.h"

namespace catena {

/// Converts an example to bytes for another process, and back; the arrays are then on the host.
std::string example_bytes(const Example& example);
/// FileError that names the source when the bytes are none of example_bytes().
Example example_from(std::string_view bytes, const std::string& source = "an example");

}  // namespace catena
