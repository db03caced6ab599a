#pragma once

#include <string>
#include <string_view>

// Which build a piece of machine code is: what is kept on disk belongs to the build that made it.

namespace catena {

/// The build id of the program or library that contains `address`, else its file with size and
/// time. Empty if there is no such file.
std::string build_of(const void* address);
/// The build id of a library file that need not be loaded; empty if `path` cannot be read.
std::string build_of_file(const std::string& path);
/// The builds of this program, of Catena's libraries in it, and of all other libraries that link
/// these, except the one at `except`: everything that may define an operation.
std::string builds_in_process(const std::string& except);

}  // namespace catena
