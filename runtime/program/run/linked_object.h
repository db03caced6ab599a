#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace catena::program {

/// A relocatable object file (ELF, x86-64) in this process: the compiler's kernels as they lie on
/// the disk, so that running them again takes no compiler. Only what such code has is known:
/// instructions, constants, and calls of functions of the process's libraries (the mathematical
/// ones); no data that is written, no exceptions.
class LinkedObject {
public:
    /// FileError with what it is that cannot be linked, as objects of other processors and damaged
    /// ones.
    explicit LinkedObject(std::string_view object);
    ~LinkedObject();
    LinkedObject(const LinkedObject&) = delete;

    /// FileError if it defines no such function.
    void* find(const std::string& symbol) const;
    /// The bytes of memory that it takes.
    size_t bytes() const { return bytes_; }

private:
    class Linker;

    char* memory_ = nullptr;
    size_t bytes_ = 0;
    std::map<std::string, char*, std::less<>> functions_;
};

}  // namespace catena::program
