#pragma once

#include <string>

#include "frontend/python/bind/convert/types.h"
#include "runtime/core/system/error.h"

namespace catena::python {

/// The file, function and line of Python code that runs on this thread: the innermost frame that is
/// none of the package's own. Without the interpreter's lock: where OthersMayRun began, else
/// unknown.
SourceLoc python_location() noexcept;

/// Lets other threads of Python run until it ends.
class OthersMayRun {
public:
    OthersMayRun();
    ~OthersMayRun();
    OthersMayRun(const OthersMayRun&) = delete;

private:
    SourceLoc before_;
    PyThreadState* thread_;
};

/// Where the package's Python files lie: their frames are passed over.
void set_own_folder(std::string folder);

}  // namespace catena::python
