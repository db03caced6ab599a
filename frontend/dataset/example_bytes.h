#pragma once

#include <string>
#include <string_view>

#include "frontend/dataset/example.h"

namespace catena {

/// An example as bytes that another process understands, and back; its arrays are then the host's.
std::string example_bytes(const Example& example);
Example example_from(std::string_view bytes);

}  // namespace catena
