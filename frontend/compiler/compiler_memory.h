#pragma once

#include <cstddef>
#include <vector>

namespace catena {

/// Memory of this process that is an unmodified mapping of a file: code and constants of a library.
struct FilePages {
    char* begin = nullptr;
    size_t bytes = 0;
};

/// The pages of all libraries that are loaded now, without pages that are written to or relocated.
std::vector<FilePages> pages_of_libraries();

/// Finds out which libraries the compiler brings: those that were loaded while an object of this
/// class lived.
class CompilerLibraries {
public:
    CompilerLibraries() : before_(pages_of_libraries()) {}
    ~CompilerLibraries();
    CompilerLibraries(const CompilerLibraries&) = delete;
    CompilerLibraries& operator=(const CompilerLibraries&) = delete;

private:
    std::vector<FilePages> before_;
};

/// Reports that a compilation took so many seconds. When the sum exceeds `worthwhile` seconds, it
/// gives memory back to the system that only compilations need: the pages of the compiler's
/// libraries, some 80 MB, which the next compilation reads again in some milliseconds, and the free
/// memory of malloc's heap. True if it did.
bool compiled_for(double seconds);
constexpr double worthwhile_compilation = 0.1;

}  // namespace catena
