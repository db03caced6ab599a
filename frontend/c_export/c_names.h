#pragma once

#include <string>

namespace catena {

/// Whether a name of the user's cannot be used in exported C: keywords of C and C++, names that the
/// included headers declare or define (with the additions of POSIX and glibc), and names that the
/// exported code itself declares without the program's prefix.
bool is_reserved_in_c(const std::string& name);

}  // namespace catena
