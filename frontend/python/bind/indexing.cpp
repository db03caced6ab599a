#include "frontend/python/bind/indexing.h"

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/link/parameter.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/ops/array/set_item.h"

namespace catena::python {
namespace {

[[noreturn]] void refuse(PyObject* part) {
    const std::string message = fmt::format(
        "an index is an integer, a slice, None, ..., a list, or an array of integers or bools, not "
        "{}",
        Py_TYPE(part)->tp_name);
    throw nb::index_error(message.c_str());
}

int64_t integer_in(PyObject* part) {
    const Py_ssize_t value = PyNumber_AsSsize_t(part, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

std::optional<int64_t> end_of(PyObject* part) {
    if (part == Py_None) return std::nullopt;
    // Ends outside are clamped, so the largest number serves for all larger ones.
    const Py_ssize_t value = PyNumber_AsSsize_t(part, nullptr);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

Index slice_of(PyObject* part) {
    auto* const s = reinterpret_cast<PySliceObject*>(part);
    const int64_t step = end_of(s->step).value_or(1);
    if (step == 0) fail<ValueError>("a slice's step cannot be 0");
    return Index(Slice{end_of(s->start), end_of(s->stop), step});
}

Index array_index(Array array, PyObject* part) {
    if (array.size() == 0 && is_float(array.dtype())) array = array.astype(Dtype::int64);  // []
    if (is_float(array.dtype())) refuse(part);
    return Index(array);
}

Index index_of(PyObject* part) {
    if (PySlice_Check(part)) return slice_of(part);
    if (part == Py_None) return Index(newaxis);
    if (part == Py_Ellipsis) return Index(ellipsis);
    if (is_variable(part)) {
        const Variable& x = variable_in(part);
        if (x.rank() == 0 && is_integer(x.dtype())) return Index(x.item<int64_t>());
        if (is_float(x.dtype())) refuse(part);
        return Index(x);
    }
    if (is_ndarray(part)) return array_index(copied_array_of(part), part);
    if (PyBool_Check(part)) return array_index(array_from(part, std::nullopt), part);
    if (PyIndex_Check(part)) return Index(integer_in(part));
    if (PySequence_Check(part) && !PyUnicode_Check(part) && !PyBytes_Check(part))
        return array_index(array_from(part, std::nullopt), part);
    refuse(part);
}

/// f's error about an index becomes Python's, which ends loops over x[0], x[1], ...
template <class F>
auto with_index_errors(F f) {
    try {
        return f();
    } catch (const ShapeError&) {
        throw;
    } catch (const ValueError& error) {
        throw nb::index_error(error.what());
    }
}

PyObject* subscript(PyObject* self, PyObject* key) {
    return guarded([&] {
        const CallScope scope;
        const std::vector<Index> indices = indices_of(key);
        return new_variable(
            with_index_errors([&] { return get_item(variable_in(self), indices); }));
    });
}

/// x[key] = value: x becomes the array with the new elements, through which gradients flow to both;
/// arrays that were read before keep theirs.
int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    bool done = false;
    guarded([&]() -> PyObject* {
        const CallScope scope;
        if (!value) fail<DtypeError>("elements of a Variable cannot be deleted");
        Variable& x = *nb::inst_ptr<Variable>(nb::handle(self));
        const std::vector<Index> indices = indices_of(key);
        Variable given = to_variable(value, "x[...] = value", "value");
        if (given.dtype() != x.dtype()) given = given.astype(x.dtype());
        Variable changed = with_index_errors([&] { return set_item(x, indices, given); });
        if (x.body()->is_state)
            assign(x, changed.detach());
        else
            x = std::move(changed);
        done = true;
        return nullptr;
    });
    return done ? 0 : -1;
}

/// Python's own iteration over a sequence: x[0], x[1], ... until IndexError.
PyObject* iterate(PyObject* self) {
    return guarded([&]() -> PyObject* {
        if (variable_in(self).rank() == 0) fail<DtypeError>("iteration over a 0-d Variable");
        return PySeqIter_New(self);
    });
}

PyObject* item(PyObject* self, Py_ssize_t i) {
    return guarded([&]() -> PyObject* {
        const CallScope scope;
        const Variable& x = variable_in(self);
        if (x.rank() == 0 || i >= x.shape()[0]) throw nb::index_error("index out of range");
        const Index index{int64_t(i)};
        return new_variable(get_item(x, std::span<const Index>(&index, 1)));
    });
}

}  // namespace

std::vector<Index> indices_of(PyObject* key) {
    std::vector<Index> indices;
    if (PyTuple_Check(key)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
            indices.push_back(index_of(PyTuple_GET_ITEM(key, i)));
    } else {
        indices.push_back(index_of(key));
    }
    return indices;
}

std::vector<PyType_Slot> indexing_slots() {
    return {{Py_mp_subscript, reinterpret_cast<void*>(subscript)},
            {Py_mp_ass_subscript, reinterpret_cast<void*>(assign_subscript)},
            {Py_sq_item, reinterpret_cast<void*>(item)},
            {Py_tp_iter, reinterpret_cast<void*>(iterate)}};
}

}  // namespace catena::python
