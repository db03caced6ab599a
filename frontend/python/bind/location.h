#pragma once

#include <string>

#include "frontend/python/bind/types.h"
#include "runtime/core/error.h"

namespace catena::python {

/// The file, function and line of Python code that runs on this thread: the innermost frame that is
/// none of the package's own. Unknown without the interpreter's lock.
SourceLoc python_location() noexcept;

/// Where the package's Python files lie: their frames are passed over.
void set_own_folder(std::string folder);

}  // namespace catena::python
