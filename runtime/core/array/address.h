#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// Where the array's first element lies, on its device; nothing is waited for, computed or
/// reported.
inline char* address_of(const Array& array) {
    return static_cast<char*>(array.storage()->data) +
           array.body()->offset * int64_t(size_of(array.dtype()));
}
/// The same as an argument of a device's kernel.
inline uint64_t address_word(const Array& array) {
    return reinterpret_cast<uintptr_t>(address_of(array));
}

}  // namespace catena
