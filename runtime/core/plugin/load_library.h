#pragma once

namespace catena {

/// dlopen() of a library with all that it needs, whose symbols are its own. Null where it cannot be
/// loaded, and dlerror() says why. std::bad_alloc where the loader lacks memory: the library is not
/// missing, and a later call may find it.
void* load_library(const char* file);

}  // namespace catena
