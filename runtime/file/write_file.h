#pragma once

#include <string>
#include <string_view>

namespace catena {

/// Replaces the file atomically (runtime/file/file.h); FileError when it cannot be written.
void write_file(const std::string& path, std::string_view content);

}  // namespace catena
