#pragma once

#include <cstddef>
#include <vector>

namespace catena {

/// Memory of this process that shows a file as it is: code and constants of a library.
struct FilePages {
    char* begin = nullptr;
    size_t bytes = 0;
};

/// Those of all libraries that are loaded now; not what is written to, nor a library whose code is
/// relocated.
std::vector<FilePages> pages_of_libraries();

/// The compiler's libraries, told by who loads them: what was loaded while one of these lived.
class CompilerLibraries {
public:
    CompilerLibraries() : before_(pages_of_libraries()) {}
    ~CompilerLibraries();
    CompilerLibraries(const CompilerLibraries&) = delete;
    CompilerLibraries& operator=(const CompilerLibraries&) = delete;

private:
    std::vector<FilePages> before_;
};

/// To be told of each compilation, and how long it took. After `worthwhile` seconds of them gives
/// the system back what only compilations need: the pages of the compiler's libraries, some 80 MB,
/// which the next compilation has again from the file or the system's cache of it (some
/// milliseconds), and the free memory of malloc's heap. True if it did.
bool compiled_for(double seconds);
constexpr double worthwhile_compilation = 0.1;

}  // namespace catena
