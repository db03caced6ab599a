#pragma once

#include <vector>

#include "frontend/python/bind/convert/types.h"

namespace catena::python {

/// The slots of `catena.Variable` for Python's operators, conversions and len().
std::vector<PyType_Slot> operator_slots();

}  // namespace catena::python
