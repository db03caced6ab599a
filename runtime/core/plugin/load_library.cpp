#include "runtime/core/plugin/load_library.h"

#include <cerrno>
#include <new>

#include <dlfcn.h>

namespace catena {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;  // Leaks are told with their library.
#else
constexpr int flags = RTLD_NOW | RTLD_LOCAL;
#endif

void* try_to_load(const char* file) {
    errno = 0;
    void* const library = dlopen(file, flags);
    if (!library && errno == ENOMEM) throw std::bad_alloc();
    return library;
}

}  // namespace

/// glibc's loader reports some allocations that failed as an undefined symbol; a second try tells.
void* load_library(const char* file) {
    void* const library = try_to_load(file);
    return library ? library : try_to_load(file);
}

}  // namespace catena
