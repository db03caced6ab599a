#pragma once

#include <memory>
#include <string>
#include <vector>

namespace catena::program {

/// The instruction sets that run here, best first: "avx512", "avx2", "scalar" on x86-64.
/// CATENA_CPU limits the best one.
std::vector<std::string> code_levels();
/// All instruction sets of this architecture.
std::vector<std::string> known_code_levels();
/// The processor's architecture: "x86_64", "aarch64".
const char* architecture();

/// Machine code from a file, in this process.
class CodeLibrary {
public:
    /// `library` is a shared object. FileError with the loader's message; `name` is for the
    /// message.
    CodeLibrary(const std::string& library, const std::string& name);
    ~CodeLibrary();
    CodeLibrary(const CodeLibrary&) = delete;
    /// FileError when it is missing.
    void* find(const std::string& symbol) const;

private:
    std::string name_;
    /// Open with the library: dlopen returns the same library for a path it knows.
    int file_ = -1;
    void* handle_ = nullptr;
};

}  // namespace catena::program
