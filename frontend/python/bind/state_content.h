#pragma once

#include "runtime/graph/variable/variable.h"

namespace catena::python {

/// What a State is to hold of a Variable that it is given. The content of another State is copied:
/// two that shared their memory would both change where one is written to through its ndarray.
/// Memory that others look at is shared, as an ndarray's is, by an array of its own.
Array content_for_state(const Variable& given);

}  // namespace catena::python
