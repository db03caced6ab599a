#pragma once

#include <string>
#include <string_view>

#include "frontend/dataset/example.h"

namespace catena {

/// Converts an example to bytes for another process.
std::string example_bytes(const Example& example);
/// Converts the bytes of example_bytes() back to an example, whose arrays are on the host.
/// FileError that names the source for any other bytes.
Example example_from(std::string_view bytes, const std::string& source = "an example");

}  // namespace catena
