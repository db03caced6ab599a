#pragma once

#include <string>

#include "frontend/serializer/safetensors_types.h"

namespace catena::safetensors {

/// Parses the JSON of a header, without building it as a tree: a name of the file costs no more
/// than itself. FileError naming `file` and tensor for invalid JSON, for whatever the format does
/// not have there, and for a name that is there twice.
Header parse_header(const std::string& text, const std::string& file);

}  // namespace catena::safetensors
