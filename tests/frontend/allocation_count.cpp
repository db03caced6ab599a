#include "tests/frontend/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {
thread_local int64_t count = 0;
}

int64_t catena::testing::allocation_count() { return count; }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(size_t bytes) {
    ++count;
    if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif
