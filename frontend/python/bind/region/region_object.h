#pragma once

#include "frontend/python/bind/convert/types.h"

namespace catena::python {

/// Makes the type `catena.StaticGraph`: a static region as a Python function, method, or attribute.
/// Throws python_error. A new reference.
PyObject* make_region_type();

}  // namespace catena::python
