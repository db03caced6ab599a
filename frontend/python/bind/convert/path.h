#pragma once

#include <string>

#include "frontend/python/bind/convert/types.h"

namespace catena::python {

/// The path in a text, bytes, or an object with __fspath__(), as the system takes it. Throws
/// python_error.
inline std::string path_of(nb::handle object) {
    PyObject* bytes = nullptr;
    if (!PyUnicode_FSConverter(object.ptr(), &bytes)) throw nb::python_error();
    const nb::object owner = nb::steal(bytes);
    return {PyBytes_AS_STRING(bytes), size_t(PyBytes_GET_SIZE(bytes))};
}

}  // namespace catena::python
