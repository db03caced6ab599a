#include "frontend/python/bind/convert/operand.h"

#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/region_arrays.h"
#include "runtime/core/system/error.h"

namespace catena::python {
namespace {

Scalar integer_scalar(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    if (!overflow) return int64_t(value);
    const double nearest = PyLong_AsDouble(object);
    if (nearest == -1 && PyErr_Occurred()) throw nb::python_error();
    return nearest;
}

/// The number that a NumPy scalar's item() gives.
std::optional<Scalar> numpy_scalar(PyObject* object) {
    const nb::object number = nb::steal(PyObject_CallMethod(object, "item", nullptr));
    if (!number.is_valid()) throw nb::python_error();
    if (is_numpy_scalar(number.ptr())) return std::nullopt;  // Nothing that Python has.
    return to_scalar(number.ptr());
}

}  // namespace

std::optional<Scalar> to_scalar(PyObject* object) {
    if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
    if (PyBool_Check(object)) return object == Py_True;
    if (PyLong_Check(object)) return integer_scalar(object);
    if (is_numpy_scalar(object)) return numpy_scalar(object);
    return std::nullopt;
}

PythonOperand::PythonOperand(PyObject* object) {
    if (is_variable(object)) {
        variable_ = &variable_in(object);
    } else if (is_ndarray(object)) {
        own_ = Variable(region_array(object), false);
        variable_ = &own_;
    } else {
        number_ = to_scalar(object);
    }
}

Variable to_variable(PyObject* object, const char* function, const char* argument) {
    if (is_variable(object)) return variable_in(object);
    if (is_ndarray(object)) return Variable(region_array(object), false);
    if (object == Py_None)
        fail<DtypeError>("{}: {} is None: it takes a Variable or an array", function, argument);
    try {
        return Variable(array_from(object, std::nullopt), false);
    } catch (const DtypeError&) {
        fail<DtypeError>(
            "{}: {} is of the class {}, of which NumPy makes no array of numbers: it takes a "
            "Variable, an array, a number, or lists of numbers",
            function, argument, Py_TYPE(object)->tp_name);
    }
}

}  // namespace catena::python
