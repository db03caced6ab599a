#include "tests/no_memory/failing_allocations.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Faults {
    std::atomic<bool> on = false;
    std::atomic<int64_t> seen = 0;
    int64_t first = 0, many = 0;
    catena::testing::CallStack *where = nullptr, *latest = nullptr;
    bool* own = nullptr;  ///< Notes instead of failures.
    int64_t room = 0;
};
Faults faults;
thread_local bool looking = false;  ///< The stack is being read: not a call of anybody's.

std::string_view file_name(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool is_language(std::string_view library) {
    return library.starts_with("libc.so") || library.starts_with("libstdc++") ||
           library.starts_with("libgcc_s") || library.starts_with("ld-linux");
}

/// A function of the standard library's templates, such as std::string's: several libraries have
/// compiled it, and all of them call the one that the loader found first.
bool is_template_of_std(std::string_view function) {
    return function.starts_with("_ZNSt") || function.starts_with("_ZNKSt");
}

/// Catena's own code, not that of LLVM in the library of the compiler. As CallStack::asker(), which
/// looks for functions and takes milliseconds.
[[gnu::noinline]] bool catena_asks() {
    void* addresses[24];
    const int size = ::backtrace(addresses, 24);
    for (int i = 0; i < size; ++i) {
        dl_find_object object{};
        if (_dl_find_object(addresses[i], &object) != 0) continue;
        const std::string_view library = file_name(object.dlfo_link_map->l_name);
        if (library.empty() || is_language(library)) continue;  // The program itself has no name.
        return library.starts_with("libcatena") && !library.starts_with("libcatena_compiler");
    }
    return false;
}

void note_asker(int64_t number) {
    if (number >= faults.room) return;
    looking = true;
    faults.own[number] = catena_asks();
    looking = false;
}

/// Counts a call; true when it must fail.
bool fails() {
    if (!faults.on.load(std::memory_order_relaxed) || looking) return false;
    const int64_t number = faults.seen.fetch_add(1, std::memory_order_relaxed);
    if (faults.own) [[unlikely]]
        note_asker(number);
    if (number < faults.first || number - faults.first >= faults.many) return false;
    for (catena::testing::CallStack* stack :
         {number == faults.first ? faults.where : nullptr, faults.latest}) {
        if (!stack) continue;
        looking = true;
        stack->take();
        looking = false;
    }
    errno = ENOMEM;
    return true;
}

void copy_text(char* to, size_t room, const char* from) {
    const size_t length = from ? std::strlen(from) : 0, kept = length < room ? length : room - 1;
    if (kept) std::memcpy(to, from, kept);
    to[kept] = '\0';
}

}  // namespace

namespace catena::testing {

void CallStack::take() {
    void* addresses[std::tuple_size_v<decltype(frames)>];
    size = ::backtrace(addresses, int(frames.size()));
    for (int i = 0; i < size; ++i) {
        Dl_info info{};
        dladdr(addresses[i], &info);
        copy_text(frames[size_t(i)].library, sizeof(Frame::library),
                  file_name(info.dli_fname ? info.dli_fname : "").data());
        copy_text(frames[size_t(i)].function, sizeof(Frame::function), info.dli_sname);
        frames[size_t(i)].offset =
            uint64_t(static_cast<char*>(addresses[i]) - static_cast<char*>(info.dli_fbase));
    }
}

std::string_view CallStack::asker() const {
    constexpr int own = 3;  // take(), fails() and malloc() or another.
    for (int i = own; i < size; ++i) {
        const Frame& frame = frames[size_t(i)];
        if (!is_language(frame.library) && !is_template_of_std(frame.function))
            return frame.library;
    }
    return "";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
bool allocations_can_fail() { return false; }
#else
bool allocations_can_fail() { return true; }
#endif

void begin_failing(int64_t first, int64_t many, CallStack* where, CallStack* latest) {
    void* one[1];
    ::backtrace(one, 1);  // Loads what it needs.
    faults.seen = 0;
    faults.first = first;
    faults.many = many;
    faults.where = where;
    faults.latest = latest;
    faults.own = nullptr;
    faults.on = true;
}

void begin_noting(bool* own, int64_t room) {
    begin_failing(0, 0, nullptr);
    faults.room = room;
    faults.own = own;
}

int64_t end_failing() {
    faults.on = false;
    return faults.seen;
}

}  // namespace catena::testing

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The program's functions come before those of the libraries, for all of them.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* memory, size_t bytes) {
    return fails() ? nullptr : __libc_realloc(memory, bytes);
}
void* memalign(size_t alignment, size_t bytes) {
    return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    void* const made = fails() ? nullptr : __libc_memalign(alignment, bytes);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (fails()) return MAP_FAILED;
    return reinterpret_cast<void*>(
        syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
void* mmap64(void* address, size_t bytes, int protection, int flags, int file, off64_t offset) {
    return mmap(address, bytes, protection, flags, file, off_t(offset));
}
int mprotect(void* address, size_t bytes, int protection) {
    return fails() ? -1 : int(syscall(SYS_mprotect, address, bytes, protection));
}
}
#endif
