#pragma once

#include "frontend/python/bind/convert/types.h"
#include "runtime/ops/by_name/literal.h"

namespace catena::python {

/// Lists in lists, as deep as NumPy's arrays have axes.
inline constexpr int deepest_nesting = 64;

/// An argument that is no array: None, bools, numbers, texts, lists and tuples of them, dtypes (as
/// their names), NumPy's numbers and arrays of numbers. TypeError naming function and argument for
/// anything else.
LiteralValue to_literal(PyObject* object, const char* function, const char* argument);

/// An index as x[...] takes it: only a tuple is one of several axes, a list is an array.
LiteralValue to_index_literal(PyObject* key, const char* function, const char* argument);

/// The Python object of a default: None, True, 2, 0.5, "mean", (1, 2).
nb::object from_literal(const LiteralValue& value);

}  // namespace catena::python
