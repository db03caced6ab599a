#include "frontend/python/bind/operators.h"

#include <cmath>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/operand.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/math/bits.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/linalg/contraction.h"

// Python's operators as slots of the type: the shortest way from the interpreter to an operation.

namespace catena::python {
namespace {

/// f of two operands of which one at least is a Variable; NotImplemented for an operand that is
/// nothing of Catena's, so that Python asks its type.
template <class F>
PyObject* binary(PyObject* a, PyObject* b, F f) {
    return guarded([&]() -> PyObject* {
        const CallScope scope;
        const PythonOperand x(a), y(b);
        if (!x.is_known() || !y.is_known()) Py_RETURN_NOTIMPLEMENTED;
        if (x.is_number()) return new_variable(f(x.number(), y.variable()));
        if (y.is_number()) return new_variable(f(x.variable(), y.number()));
        return new_variable(f(x.variable(), y.variable()));
    });
}

template <class F>
PyObject* unary(PyObject* a, F f) {
    return guarded([&] {
        const CallScope scope;
        return new_variable(f(variable_in(a)));
    });
}

#define CATENA_PYTHON_OPERATOR(name, expression)                                      \
    PyObject* name(PyObject* a, PyObject* b) {                                        \
        return binary(a, b, [](const auto& x, const auto& y) { return expression; }); \
    }
CATENA_PYTHON_OPERATOR(add, x + y)
CATENA_PYTHON_OPERATOR(subtract, x - y)
CATENA_PYTHON_OPERATOR(multiply, x* y)
CATENA_PYTHON_OPERATOR(true_divide, x / y)
CATENA_PYTHON_OPERATOR(floor_division, floor_divide(x, y))
CATENA_PYTHON_OPERATOR(modulo, remainder(x, y))
CATENA_PYTHON_OPERATOR(bit_and, bitwise_and(x, y))
CATENA_PYTHON_OPERATOR(bit_or, bitwise_or(x, y))
CATENA_PYTHON_OPERATOR(bit_xor, bitwise_xor(x, y))
CATENA_PYTHON_OPERATOR(shift_left, left_shift(x, y))
CATENA_PYTHON_OPERATOR(shift_right, right_shift(x, y))
#undef CATENA_PYTHON_OPERATOR

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, [](const auto& x, const auto& y) { return pow(x, y); });
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        const CallScope scope;
        const PythonOperand x(a), y(b);
        if (!x.is_known() || !y.is_known() || x.is_number() || y.is_number())
            Py_RETURN_NOTIMPLEMENTED;
        return new_variable(matmul(x.variable(), y.variable()));
    });
}

PyObject* negative(PyObject* a) {
    return unary(a, [](const Variable& x) { return -x; });
}
PyObject* positive(PyObject* a) { return Py_NewRef(a); }
PyObject* magnitude(PyObject* a) {
    return unary(a, [](const Variable& x) { return absolute(x); });
}
PyObject* invert(PyObject* a) {
    return unary(a, [](const Variable& x) { return bitwise_not(x); });
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
    switch (how) {
        case Py_LT:
            return binary(a, b, [](const auto& x, const auto& y) { return x < y; });
        case Py_LE:
            return binary(a, b, [](const auto& x, const auto& y) { return x <= y; });
        case Py_EQ:
            return binary(a, b, [](const auto& x, const auto& y) { return x == y; });
        case Py_NE:
            return binary(a, b, [](const auto& x, const auto& y) { return x != y; });
        case Py_GT:
            return binary(a, b, [](const auto& x, const auto& y) { return x > y; });
        default:
            return binary(a, b, [](const auto& x, const auto& y) { return x >= y; });
    }
}

/// A Variable stands for its place in the graph: two handles of one are the same key.
Py_hash_t hash(PyObject* a) {
    Py_hash_t place = -1;
    guarded([&]() -> PyObject* {
        place = Py_hash_t(uintptr_t(variable_in(a).body()) >> 4);
        if (place == -1) place = -2;
        return nullptr;
    });
    return place;
}

int truth(PyObject* a) {
    int result = -1;
    guarded([&]() -> PyObject* {
        const CallScope scope;
        const Variable& x = variable_in(a);
        if (x.size() != 1)
            fail<ValueError>(
                "the truth of {} elements is ambiguous: use x.any() or x.all() of a single one",
                x.size());
        result = x.item<double>() != 0;
        return nullptr;
    });
    return result;
}

PyObject* to_float(PyObject* a) {
    return guarded([&] {
        const CallScope scope;
        return PyFloat_FromDouble(variable_in(a).item<double>());
    });
}
/// Towards zero, as int() of a float; OverflowError and ValueError for what no int is.
PyObject* to_int(PyObject* a) {
    return guarded([&]() -> PyObject* {
        const CallScope scope;
        const Variable& x = variable_in(a);
        if (!is_float(x.dtype())) return PyLong_FromLongLong(x.item<int64_t>());
        return PyLong_FromDouble(x.item<double>());
    });
}
PyObject* to_index(PyObject* a) {
    return guarded([&]() -> PyObject* {
        const CallScope scope;
        const Variable& x = variable_in(a);
        if (is_float(x.dtype()) || x.size() != 1)
            fail<DtypeError>("{} cannot be an index: only one integer can", to_string(x.type()));
        return PyLong_FromLongLong(x.item<int64_t>());
    });
}

Py_ssize_t length(PyObject* a) {
    Py_ssize_t result = -1;
    guarded([&]() -> PyObject* {
        const Variable& x = variable_in(a);
        if (x.rank() == 0) fail<DtypeError>("len() of a 0-d Variable");
        result = Py_ssize_t(x.shape()[0]);
        return nullptr;
    });
    return result;
}

template <class F>
PyType_Slot slot(int number, F* function) {
    return {number, reinterpret_cast<void*>(function)};
}

}  // namespace

std::vector<PyType_Slot> operator_slots() {
    return {slot(Py_nb_add, add),
            slot(Py_nb_subtract, subtract),
            slot(Py_nb_multiply, multiply),
            slot(Py_nb_true_divide, true_divide),
            slot(Py_nb_floor_divide, floor_division),
            slot(Py_nb_remainder, modulo),
            slot(Py_nb_power, power),
            slot(Py_nb_matrix_multiply, matrix_multiply),
            slot(Py_nb_and, bit_and),
            slot(Py_nb_or, bit_or),
            slot(Py_nb_xor, bit_xor),
            slot(Py_nb_lshift, shift_left),
            slot(Py_nb_rshift, shift_right),
            slot(Py_nb_negative, negative),
            slot(Py_nb_positive, positive),
            slot(Py_nb_absolute, magnitude),
            slot(Py_nb_invert, invert),
            slot(Py_nb_bool, truth),
            slot(Py_nb_float, to_float),
            slot(Py_nb_int, to_int),
            slot(Py_nb_index, to_index),
            slot(Py_tp_richcompare, compare),
            slot(Py_tp_hash, hash),
            slot(Py_mp_length, length)};
}

}  // namespace catena::python
