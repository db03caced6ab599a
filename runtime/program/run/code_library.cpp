#include "runtime/program/run/code_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/core/plugin/load_library.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/core/system/error.h"

namespace catena::program {

const char* architecture() {
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

std::vector<std::string> known_code_levels() {
#if defined(__x86_64__)
    return {"avx512", "avx2", "scalar"};
#else
    return {"scalar"};
#endif
}

std::vector<std::string> code_levels() {
    std::vector<std::string> levels = known_code_levels();
    levels.erase(levels.begin(),
                 std::find(levels.begin(), levels.end(), name_of(find_instruction_set())));
    return levels;
}

namespace {

/// Memory with a name that dlopen takes.
int memory_file(const std::string& content, const std::string& name) {
    const int file = memfd_create("catena_program", MFD_CLOEXEC);
    if (file < 0)
        fail<FileError>("{}: no memory file for its code: {}", name, std::strerror(errno));
    size_t at = 0;
    while (at < content.size()) {
        const ssize_t written = write(file, content.data() + at, content.size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            const int error = errno;
            close(file);
            fail<FileError>("{}: its code cannot be written to memory: {}", name,
                            std::strerror(error));
        }
        at += size_t(written);
    }
    return file;
}

}  // namespace

CodeLibrary::CodeLibrary(const std::string& library, const std::string& name)
    : name_(name), file_(memory_file(library, name)) {
    try {
        handle_ = load_passing_library(("/proc/self/fd/" + std::to_string(file_)).c_str());
    } catch (const std::bad_alloc&) {
        close(file_);
        throw;
    }
    if (handle_) return;
    const char* problem = dlerror();
    close(file_);
    fail<FileError>("{}: its code cannot be loaded: {}", name, problem ? problem : "unknown");
}

CodeLibrary::~CodeLibrary() {
    dlclose(handle_);
    close(file_);
}

void* CodeLibrary::find(const std::string& symbol) const {
    void* address = dlsym(handle_, symbol.c_str());
    if (!address) fail<FileError>("{}: its code has no function {}", name_, symbol);
    return address;
}

}  // namespace catena::program
