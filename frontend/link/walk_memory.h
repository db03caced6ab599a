#pragma once

#include "runtime/core/memory/function_ref.h"

namespace catena {

/// What containers and pointers in a part of an object hold: C++ has no reflection of members.
/// Standard containers of GNU's library are known by the form of their words, each pointer of which
/// must fit the others; nothing is read where the process may not.
class MemoryWalk {
public:
    /// The memory of elements, to its last byte, or the byte to which a pointer leads.
    using Visit = FunctionRef<void(const char* begin, const char* end)>;
    /// Vectors, deques, lists and maps between `begin` and `end`, and those in their elements, and
    /// what pointers lead to from there: one step, not what lies behind it.
    static void from(const char* begin, const char* end, Visit visit);
};

}  // namespace catena
