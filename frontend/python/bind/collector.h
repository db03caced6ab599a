#pragma once

#include <vector>

#include "frontend/python/bind/convert/types.h"

namespace catena::python {

/// The slots of `catena.Variable` for Python's collector of cycles: objects of user functions that
/// live because of the graph alone, which may keep Variables of that graph.
std::vector<PyType_Slot> collector_slots();

}  // namespace catena::python
