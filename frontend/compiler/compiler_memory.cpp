#include "frontend/compiler/compiler_memory.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/core/system/fork.h"

namespace catena {
namespace {

/// Whether the loader writes into code and constants, which then are not what the file has.
bool relocates_code(const dl_phdr_info& library) {
    for (int i = 0; i < library.dlpi_phnum; ++i) {
        const ElfW(Phdr) & header = library.dlpi_phdr[i];
        if (header.p_type != PT_DYNAMIC) continue;
        for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + header.p_vaddr);
             entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_TEXTREL ||
                (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
                return true;
    }
    return false;
}

/// Ends the search where there is no memory to note more: no exception passes through the loader.
int add_pages(dl_phdr_info* library, size_t, void* to) try {
    if (relocates_code(*library)) return 0;
    const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const ElfW(Phdr) & header = library->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W)) continue;
        // The whole pages of it: at its ends a neighbour may begin.
        const uintptr_t begin = (library->dlpi_addr + header.p_vaddr + page - 1) / page * page;
        const uintptr_t end = (library->dlpi_addr + header.p_vaddr + header.p_filesz) / page * page;
        if (end > begin)
            static_cast<std::vector<FilePages>*>(to)->push_back(
                {reinterpret_cast<char*>(begin), end - begin});
    }
    return 0;
} catch (const std::bad_alloc&) {
    return 1;
}

struct State {
    State() { taken_by_forks(mutex); }
    std::mutex mutex;
    std::vector<FilePages> pages;
    double seconds = 0;
};

State& state() {
    static State& instance = *new State;
    return instance;
}

void give_back(const std::vector<FilePages>& pages) {
    for (const FilePages& each : pages) madvise(each.begin, each.bytes, MADV_DONTNEED);
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace

std::vector<FilePages> pages_of_libraries() {
    std::vector<FilePages> pages;
    if (dl_iterate_phdr(add_pages, &pages) != 0) throw std::bad_alloc();
    return pages;
}

CompilerLibraries::~CompilerLibraries() {
    try {
        std::vector<FilePages> fresh = pages_of_libraries();
        std::erase_if(fresh, [&](const FilePages& each) {
            return std::ranges::any_of(
                before_, [&](const FilePages& known) { return known.begin == each.begin; });
        });
        give_back(fresh);  // Its tables of symbols and relocations were read once.
        const std::lock_guard lock(state().mutex);
        state().pages = std::move(fresh);
    } catch (const std::bad_alloc&) {
        // Without memory to list them the pages stay.
    }
}

bool compiled_for(double seconds) {
    std::vector<FilePages> pages;
    {
        const std::lock_guard lock(state().mutex);
        state().seconds += seconds;
        if (state().pages.empty() || state().seconds < worthwhile_compilation) return false;
        state().seconds = 0;
        pages = state().pages;
    }
    give_back(pages);
    return true;
}

}  // namespace catena
