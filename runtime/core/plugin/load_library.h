#pragma once

namespace catena {

/// dlopen() of a library with all that it needs, whose symbols are its own. Null where it cannot be
/// loaded, and dlerror() says why. std::bad_alloc where the loader lacks memory: the library is not
/// missing, and a later call may find it.
void* load_library(const char* file);
/// The same of a library that is unloaded again, whose name then belongs to another: the loader
/// knows loaded ones by their names.
void* load_passing_library(const char* file);

}  // namespace catena
