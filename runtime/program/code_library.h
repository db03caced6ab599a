#pragma once

#include <memory>
#include <string>
#include <vector>

namespace catena::program {

/// Kinds of processors that code is made for, the best that runs here first: "avx512", "avx2", "scalar" on x86-64.
/// CATENA_CPU names the best one to be used.
std::vector<std::string> code_levels();
/// Of all processors of this architecture.
std::vector<std::string> known_code_levels();
/// "x86_64", "aarch64".
const char* architecture();

/// Machine code from a file, in this process.
class CodeLibrary {
public:
    /// `library` is a shared object. FileError with the loader's words; `name` is for the message.
    CodeLibrary(const std::string& library, const std::string& name);
    ~CodeLibrary();
    CodeLibrary(const CodeLibrary&) = delete;
    void* find(const std::string& symbol) const;  ///< FileError when it is not there.

private:
    std::string name_;
    int file_ = -1;  ///< Open as long as the library is: dlopen takes a path that it knows for the library it knows.
    void* handle_ = nullptr;
};

}  // namespace catena::program
