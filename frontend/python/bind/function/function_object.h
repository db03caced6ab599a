#pragma once

#include "frontend/python/bind/convert/types.h"
#include "runtime/ops/by_name/function.h"

namespace catena::python {

/// A function of the registry as a Python function: called by position or by name, without a
/// dictionary or tuple in between.
struct FunctionObject {
    PyObject_HEAD vectorcallfunc call;
    const FunctionDef* def;
    PyObject* names;  ///< The parameters', interned: a tuple.
};

/// Makes the type `catena.Function`. Throws python_error.
PyObject* make_function_type();
/// A new reference.
PyObject* new_function(const FunctionDef& def);

/// The vectorcall of a FunctionObject.
PyObject* call_function_object(PyObject* self, PyObject* const* arguments, size_t count,
                               PyObject* keywords);

}  // namespace catena::python
