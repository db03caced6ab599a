#pragma once

#include <cstdint>

#include "frontend/python/bind/convert/types.h"

namespace catena::python {

/// A number that is this object's alone, also after its death: where `id()` of a later object may
/// be the same. Objects that cannot be referred to weakly are kept while others refer to them.
/// Throws python_error.
uint64_t identity_number(PyObject* object);

}  // namespace catena::python
