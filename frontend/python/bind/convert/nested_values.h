#pragma once

#include "frontend/python/bind/convert/types.h"
#include "frontend/static_graph/call/flatten.h"

// What a static region is given and what it returns: any nesting of tuples, named tuples, lists,
// dictionaries and dataclasses, with Variables, ndarrays, numbers, texts and other objects in it.

namespace catena::python {

/// Arguments: their Variables and ndarrays, in order. `signs`: a signature of all the rest, too, by
/// which calls that skip the code are told apart. Other objects count by their identity.
void list_argument(PyObject* argument, bool signs, Flat& flat);

/// A result: its Variables. ndarrays and objects that are no values need the code at every call.
void list_result(PyObject* result, Flat& flat);

/// A new reference to the same nesting without its Variables (and ndarrays: arguments), to be
/// filled with others.
PyObject* empty_argument(PyObject* argument);
PyObject* empty_result(PyObject* result);
/// A new reference to what empty_argument() or empty_result() made, with these Variables in it.
PyObject* filled(PyObject* nesting, FillVariables& variables);

}  // namespace catena::python
