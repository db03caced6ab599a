#pragma once

#include "runtime/core/memory/function_ref.h"

namespace catena {

/// Finds the memory that the containers and pointers in a part of an object lead to, as C++ has no
/// reflection of members. Standard containers of GNU's library are recognised by the form of their
/// words, each pointer of which must fit the others; memory that the process may not read is left
/// alone.
class MemoryWalk {
public:
    /// A function called with the memory of a container's elements, or with the byte to which a
    /// pointer leads.
    using Visit = FunctionRef<void(const char* begin, const char* end)>;
    /// Visits what vectors, deques, lists, maps and pointers between `begin` and `end` lead to, and
    /// containers in their elements: one step, not what lies behind it.
    static void from(const char* begin, const char* end, Visit visit);
};

}  // namespace catena
