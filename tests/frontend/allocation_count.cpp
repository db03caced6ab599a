#include "tests/frontend/allocation_count.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include <link.h>

namespace {

thread_local int64_t count = 0, library_count = 0;

struct Range {
    uintptr_t begin = 0, end = 0;
};

/// Where the code of the shared library lies.
Range range_of(const char* library) {
    struct Search {
        const char* name;
        Range found;
    } search{library, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto& search = *static_cast<Search*>(data);
            if (!std::strstr(info->dlpi_name, search.name)) return 0;
            for (int i = 0; i < info->dlpi_phnum; ++i)
                if (const auto& part = info->dlpi_phdr[i];
                    part.p_type == PT_LOAD && part.p_flags & PF_X)
                    search.found = {info->dlpi_addr + part.p_vaddr,
                                    info->dlpi_addr + part.p_vaddr + part.p_memsz};
            return 1;
        },
        &search);
    return search.found;
}

}  // namespace

int64_t catena::testing::allocation_count() { return count; }
int64_t catena::testing::library_allocation_count() { return library_count; }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

void note(const void* caller) {
    static const Range library = range_of("libdnnl");
    const auto address = reinterpret_cast<uintptr_t>(caller);
    ++(address >= library.begin && address < library.end ? library_count : count);
}

void* checked(void* memory) {
    if (memory) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t bytes) {
    note(__builtin_return_address(0));
    return checked(std::malloc(bytes ? bytes : 1));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    note(__builtin_return_address(0));
    const auto step = size_t(alignment);
    return checked(std::aligned_alloc(step, (bytes / step + 1) * step));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
