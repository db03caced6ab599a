#include "runtime/core/plugin/load_library.h"

#include <cerrno>
#include <new>

#include <dlfcn.h>

namespace catena {

void* load_library(const char* file) {
    errno = 0;
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library && errno == ENOMEM) throw std::bad_alloc();
    return library;
}

}  // namespace catena
