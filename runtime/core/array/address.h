#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// The address of the array's first element on its device. Nothing is waited for or computed, and
/// no AccessObserver is notified.
inline char* address_of(const Array& array) {
    return static_cast<char*>(array.storage()->data) +
           array.body()->offset * int64_t(size_of(array.dtype()));
}
/// address_of() as a number: an argument of a device's kernel.
inline uint64_t address_word(const Array& array) {
    return reinterpret_cast<uintptr_t>(address_of(array));
}

}  // namespace catena
