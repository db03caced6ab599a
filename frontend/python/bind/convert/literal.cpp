#include "frontend/python/bind/convert/literal.h"

#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "runtime/core/system/error.h"

namespace catena::python {
namespace {

LiteralValue number(const Scalar& scalar) {
    switch (scalar.kind()) {
        case Scalar::Kind::boolean:
            return {scalar.value() != 0};
        case Scalar::Kind::integer:
            return {int64_t(scalar.value())};
        default:
            return {scalar.value()};
    }
}

/// An int as it is: a Scalar holds 53 bits of it.
LiteralValue integer(PyObject* object, const char* function, const char* argument) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow) fail<ValueError>("{}: {} does not fit in 64 bits", function, argument);
    return {int64_t(value)};
}

std::optional<Dims> short_list(PyObject* sequence) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(sequence);
    if (size > max_rank) return std::nullopt;
    Dims dims;
    for (Py_ssize_t i = 0; i < size; ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(sequence, i);
        if (!PyLong_Check(item) || PyBool_Check(item)) return std::nullopt;
        int overflow = 0;
        dims.push_back(PyLong_AsLongLongAndOverflow(item, &overflow));
        if (overflow) return std::nullopt;
    }
    return dims;
}

LiteralValue read(PyObject* object, const char* function, const char* argument, int depth);

/// Reads a list of numbers; `depth` is how many lists it is in.
LiteralValue list(PyObject* sequence, const char* function, const char* argument, int depth) {
    if (auto dims = short_list(sequence)) return {*dims};
    if (depth >= deepest_nesting)
        fail<ValueError>("{}: {} is a list in a list in ... more than {} deep; is it in itself?",
                         function, argument, deepest_nesting);
    LiteralValue::List items;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
        // Reading it may run code that changes the list.
        const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(sequence, i));
        items.push_back(read(item.ptr(), function, argument, depth + 1));
    }
    return {std::move(items)};
}

int64_t end_of_slice(PyObject* part) {
    // Ends outside are clamped, so the largest number serves for all larger ones.
    const Py_ssize_t value = PyNumber_AsSsize_t(part, nullptr);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

/// "1:5", "::-1": as indices are written where there is only text.
std::string slice_text(PyObject* object) {
    const auto* const slice = reinterpret_cast<const PySliceObject*>(object);
    std::string text;
    if (slice->start != Py_None) text += fmt::format("{}", end_of_slice(slice->start));
    text += ':';
    if (slice->stop != Py_None) text += fmt::format("{}", end_of_slice(slice->stop));
    if (slice->step != Py_None) text += fmt::format(":{}", end_of_slice(slice->step));
    return text;
}

bool is_dtype(PyObject* object) {
    return PyType_Check(object) ||
           std::string_view(Py_TYPE(object)->tp_name).starts_with("numpy.dtype");
}

LiteralValue read(PyObject* object, const char* function, const char* argument, int depth) {
    if (object == Py_None) return {};
    if (PyBool_Check(object)) return {object == Py_True};
    if (PyLong_Check(object)) return integer(object, function, argument);
    if (PyFloat_Check(object)) return {PyFloat_AS_DOUBLE(object)};
    if (PyUnicode_Check(object)) return {to_string(object)};
    if (PySlice_Check(object)) return {slice_text(object)};
    if (object == Py_Ellipsis) return {std::string("...")};
    if (PyList_Check(object) || PyTuple_Check(object))
        return list(object, function, argument, depth);
    if (const auto scalar = to_scalar(object)) return number(*scalar);
    if (is_dtype(object)) return {std::string(name_of(dtype_of(object)))};
    if (is_ndarray(object)) {
        const nb::object items = nb::handle(object).attr("tolist")();
        return read(items.ptr(), function, argument, depth);
    }
    if (PyIndex_Check(object) && !is_variable(object)) {
        const nb::object index = nb::steal(PyNumber_Index(object));
        if (!index.is_valid()) throw nb::python_error();
        return integer(index.ptr(), function, argument);
    }
    fail<DtypeError>("{}: {} takes a number, a text or a list of them, not {}", function, argument,
                     Py_TYPE(object)->tp_name);
}

}  // namespace

LiteralValue to_literal(PyObject* object, const char* function, const char* argument) {
    return read(object, function, argument, 0);
}

LiteralValue to_index_literal(PyObject* key, const char* function, const char* argument) {
    if (PyTuple_Check(key)) return to_literal(key, function, argument);
    return {LiteralValue::List{to_literal(key, function, argument)}};
}

nb::object from_literal(const LiteralValue& value) {
    struct Make {
        nb::object operator()(std::monostate) const { return nb::none(); }
        nb::object operator()(bool b) const { return nb::bool_(b); }
        nb::object operator()(int64_t i) const { return nb::int_(i); }
        nb::object operator()(double d) const { return nb::float_(d); }
        nb::object operator()(const std::string& s) const { return nb::str(s.c_str(), s.size()); }
        nb::object operator()(const LiteralValue::List& items) const {
            nb::list made;
            for (const LiteralValue& item : items) made.append(from_literal(item));
            return nb::tuple(made);
        }
        nb::object operator()(const Dims& dims) const {
            nb::list made;
            for (const int64_t size : dims) made.append(size);
            return nb::tuple(made);
        }
    };
    return std::visit(Make(), value.value);
}

}  // namespace catena::python
