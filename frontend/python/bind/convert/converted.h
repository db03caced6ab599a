#pragma once

#include <string>
#include <string_view>

#include "frontend/python/bind/convert/types.h"
#include "runtime/core/system/error.h"

namespace catena::python {

/// The value as a T, bool or number or list of texts; DtypeError "NAME is VALUE: it is WANTED" for
/// one of another type. nanobind's own cast says only that there was one.
template <class T>
T converted(std::string_view name, nb::handle value, std::string_view wanted) {
    T result{};
    if (!nb::try_cast<T>(value, result))
        fail<DtypeError>("{} is {}: it is {}", name, to_string(nb::repr(value).ptr()), wanted);
    return result;
}

/// The object in a value of one of the module's classes; DtypeError "NAME is VALUE: it is WANTED".
template <class T>
T& object_in(std::string_view name, nb::handle value, std::string_view wanted) {
    T* found = nullptr;
    if (!nb::try_cast<T*>(value, found) || !found)
        fail<DtypeError>("{} is {}: it is {}", name, to_string(nb::repr(value).ptr()), wanted);
    return *found;
}

}  // namespace catena::python
