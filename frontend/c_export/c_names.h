#pragma once

#include <string>

namespace catena {

/// Whether exported C cannot call something of the user's so: keywords of C and C++, what the
/// headers that it includes declare or define (with the additions of POSIX and glibc), and what the
/// exported code itself declares beside names that begin with the program's.
bool is_reserved_in_c(const std::string& name);

}  // namespace catena
