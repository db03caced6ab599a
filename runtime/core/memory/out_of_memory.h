#pragma once

#include <new>
#include <string>
#include <string_view>

#include "runtime/core/system/error.h"

namespace catena {

/// A failed allocation. Callers that know its purpose catch it and throw a more specific one.
struct OutOfMemory : DeviceError {
    /// Message "WHO: out of memory: ..." with the bytes asked for (0: unknown) and held.
    OutOfMemory(const std::string& who, size_t asked, size_t held);
    size_t bytes, held;
};

/// Turns a std::bad_alloc that a public function meets into an OutOfMemory error. Use it so:
///
///     void Optimizer::update() try {
///         ...
///     } catch (const std::bad_alloc&) {
///         throw_out_of_memory(type_name, "update");
///     }
///
/// Throws OutOfMemory of "WHAT: WHICH", or of less where no memory is left to say it.
[[noreturn]] void throw_out_of_memory(std::string_view what, std::string_view which = "");
/// Throws as throw_out_of_memory() does, with a text that must be composed first, which may run out
/// of memory as well.
template <class What>
    requires requires(const What& what) { std::string(what()); }
[[noreturn]] void throw_out_of_memory(const What& what, std::string_view which = "") {
    std::string text;
    try {
        text = what();
    } catch (const std::bad_alloc&) {
    }
    throw_out_of_memory(std::string_view(text), which);
}

}  // namespace catena
