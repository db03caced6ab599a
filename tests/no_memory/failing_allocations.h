#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace catena::testing {

/// Where an allocation failed, or where a process died: innermost first, without allocating.
struct CallStack {
    struct Frame {
        char library[48];   ///< "libcatena.so.0.1"; the program's own name for the program.
        char function[80];  ///< Mangled, as far as it is exported.
        uint64_t offset;    ///< Within the library, for addr2line.
    };
    std::array<Frame, 40> frames;
    int size = 0;

    void take();
    /// The library that asked for memory, beyond those of C and C++ and this file.
    std::string_view asker() const;
};

/// From begin() on, allocations of all threads are counted from 0, whoever makes them: malloc and
/// its relatives, and so operator new; mmap and mprotect. `many` of them from number `first` on
/// fail, and the stacks of the first and the latest are taken. False where a sanitizer has malloc.
bool allocations_can_fail();
void begin_failing(int64_t first, int64_t many, CallStack* where, CallStack* latest = nullptr);
/// Counts them, too; none fails. own[i] tells whether Catena's own code asked for number i.
void begin_noting(bool* own, int64_t room);
/// How many were counted.
int64_t end_failing();

}  // namespace catena::testing
