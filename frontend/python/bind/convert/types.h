#pragma once

#include <Python.h>

#include <string>
#include <utility>

#include <nanobind/nanobind.h>
// Here for all files: one that casts to a text without it would give the whole module another cast.
#include <nanobind/stl/string.h>

#include "runtime/graph/variable/variable.h"

// What every file of the extension module stands on: Variables as Python objects and back, errors
// of C++ as exceptions of Python.

namespace catena::python {

namespace nb = nanobind;

/// Python's `catena.Variable`, made at import.
extern PyTypeObject* variable_type;

inline bool is_variable(PyObject* object) {
    return Py_TYPE(object) == variable_type || PyType_IsSubtype(Py_TYPE(object), variable_type);
}
[[noreturn]] void refuse_unmade_variable(PyObject* object);
/// The Variable in an object for which is_variable() holds. TypeError for one whose class has an
/// __init__ that calls no super().__init__().
inline const Variable& variable_in(PyObject* object) {
    if (!nb::inst_ready(nb::handle(object))) [[unlikely]]
        refuse_unmade_variable(object);
    return *nb::inst_ptr<Variable>(nb::handle(object));
}
/// A new reference to a `catena.Variable`; None for an undefined one.
PyObject* new_variable(Variable variable);

/// The characters of a Python text.
std::string to_string(PyObject* text);

/// Sets the Python exception for the C++ exception that is being handled. Shapes and values are
/// ValueErrors in Python, dtypes TypeErrors, files OSErrors (see docs/python.md).
void set_python_error() noexcept;

/// What f returns; null with a Python exception set where it throws.
template <class F>
PyObject* guarded(F&& f) noexcept {
    try {
        return f();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

}  // namespace catena::python
