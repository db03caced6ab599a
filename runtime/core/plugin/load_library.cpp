#include "runtime/core/plugin/load_library.h"

#include <cerrno>
#include <new>

#include <dlfcn.h>

namespace catena {

namespace {

constexpr int passing = RTLD_NOW | RTLD_LOCAL;
#if defined(__SANITIZE_ADDRESS__)
constexpr int staying = passing | RTLD_NODELETE;  // Leaks are told with their library.
#else
constexpr int staying = passing;
#endif

void* try_to_load(const char* file, int flags) {
    errno = 0;
    void* const library = dlopen(file, flags);
    if (!library && errno == ENOMEM) throw std::bad_alloc();
    return library;
}

/// glibc's loader reports some allocations that failed as an undefined symbol; a second try tells.
void* open_library(const char* file, int flags) {
    void* const library = try_to_load(file, flags);
    return library ? library : try_to_load(file, flags);
}

}  // namespace

void* load_library(const char* file) { return open_library(file, staying); }
void* load_passing_library(const char* file) { return open_library(file, passing); }

}  // namespace catena
