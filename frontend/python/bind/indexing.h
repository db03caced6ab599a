#pragma once

#include <vector>

#include "frontend/python/bind/convert/types.h"
#include "runtime/ops/array/indexing/indexing.h"

namespace catena::python {

/// What stands in x[...]: ints, slices, None, Ellipsis, lists, and arrays of integers or bools.
/// IndexError for anything else.
std::vector<Index> indices_of(PyObject* key);

/// The slots of `catena.Variable` for x[key], x[key] = value and iteration.
std::vector<PyType_Slot> indexing_slots();

}  // namespace catena::python
