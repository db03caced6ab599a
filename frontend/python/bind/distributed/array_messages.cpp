#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/distributed/distributed_parts.h"
#include "runtime/ops/communication/communication.h"

// What communicators do with arrays. What is given decides what comes back: a Variable goes as an
// operation, with its gradient; an ndarray gives an ndarray, a number a number.

namespace catena::python {

Reduction reduction_of(const std::string& op) {
    if (op == "sum") return Reduction::sum;
    if (op == "mean") return Reduction::mean;
    fail<ValueError>("op: there is no '{}'; there are sum and mean", op);
}

namespace {

nb::object as_ndarray(const Array& array) { return nb::steal(ndarray_of(array)); }

/// What is no Variable, as Python has it.
enum class Form : uint8_t { array, number, numpy_number };

Form form_of(nb::handle object) {
    PyObject* const x = object.ptr();
    if (PyFloat_CheckExact(x) || PyLong_Check(x)) return Form::number;
    return is_numpy_scalar(x) ? Form::numpy_number : Form::array;
}

nb::object in_form(Form form, const Array& result) {
    nb::object ndarray = as_ndarray(result);
    if (form == Form::number) return ndarray.attr("item")();
    return form == Form::numpy_number ? nb::object(ndarray[nb::tuple()]) : ndarray;
}

/// An argument that is no Variable.
struct Given {
    /// DtypeError for what is neither array nor number.
    Given(const char* call, nb::handle object);
    /// The result as what was given. It shares no memory with it.
    nb::object like(const Array& result) const;

    Form form;
    Array array;
};

Given::Given(const char* call, nb::handle object) : form(form_of(object)) {
    PyObject* const x = object.ptr();
    if (PyFloat_CheckExact(x)) {
        array = Array::scalar(PyFloat_AS_DOUBLE(x));
    } else if (PyLong_Check(x)) {
        const int64_t number = PyLong_AsLongLong(x);
        if (number == -1 && PyErr_Occurred()) throw nb::python_error();
        array = Array::scalar(number);
    } else if (is_numpy_scalar(x)) {
        array = array_from(x, std::nullopt);
    } else if (is_ndarray(x)) {
        array = array_of(x);
    } else if (PyObject_HasAttrString(x, "__array__")) {
        array = array_from(x, std::nullopt);
    } else {
        fail<DtypeError>(
            "{}: takes an ndarray, a Variable or a number, not {}; bcast_obj, allgather_obj and "
            "others send any object",
            call, Py_TYPE(x)->tp_name);
    }
}

nb::object Given::like(const Array& result) const {
    nb::object made = in_form(form, result);
    const bool is_shared = form == Form::array && result.storage().get() == array.storage().get();
    return is_shared ? as_ndarray(copied_array_of(made.ptr())) : made;
}

/// One argument for each rank: all of them Variables if one is.
struct GivenList {
    GivenList(const char* call, nb::handle objects);
    std::vector<Array> arrays() const {
        std::vector<Array> all;
        for (const Given& one : given) all.push_back(one.array);
        return all;
    }

    std::vector<Variable> variables;
    std::vector<Given> given;
};

GivenList::GivenList(const char* call, nb::handle objects) {
    const nb::object iterator = nb::steal(PyObject_GetIter(objects.ptr()));
    if (!iterator.is_valid()) {
        PyErr_Clear();
        fail<DtypeError>("{}: takes a list with an array for each rank, not {}", call,
                         Py_TYPE(objects.ptr())->tp_name);
    }
    const nb::list all(iterator);
    bool has_variables = false;
    for (nb::handle x : all) has_variables |= is_variable(x.ptr());
    for (nb::handle x : all) {
        if (has_variables)
            variables.push_back(to_variable(x.ptr(), call, "xs"));
        else
            given.emplace_back(call, x);
    }
}

nb::object variable_of(Variable x) { return nb::steal(new_variable(std::move(x))); }

nb::list variables_of(const Variables& xs) {
    nb::list list;
    for (const Variable& x : xs) list.append(variable_of(x));
    return list;
}

nb::list list_like(const Given& given, const std::vector<Array>& arrays) {
    nb::list list;
    for (const Array& array : arrays) list.append(given.like(array));
    return list;
}

/// The results of a call to which each rank gave a list; `given` is of equal length.
nb::list list_like(const std::vector<Given>& given, const std::vector<Array>& arrays, int own) {
    nb::list list;
    for (size_t r = 0; r < arrays.size(); ++r) list.append(given[size_t(own)].like(arrays[r]));
    return list;
}

nb::object allreduce(const Group& self, nb::handle x, const std::string& op) {
    const CallScope scope;
    const Reduction reduction = reduction_of(op);
    if (is_variable(x.ptr()))
        return variable_of(parallel::allreduce(*self, variable_in(x.ptr()), reduction));
    const Given given("allreduce", x);
    return given.like(beside_operations([&] { return self->allreduce(given.array, reduction); }));
}

nb::object bcast(const Group& self, nb::handle x, int root, bool variable) {
    const CallScope scope;
    const bool is_root = self->rank() == root;
    if (variable || is_variable(x.ptr())) {
        const Variable own =
            x.is_none() || !is_root ? Variable() : to_variable(x.ptr(), "bcast", "x");
        return variable_of(parallel::bcast(*self, own, root));
    }
    const Array own = is_root && !x.is_none() ? Given("bcast", x).array : Array();
    return in_form(form_of(x), beside_operations([&] { return self->bcast(own, root); }));
}

nb::object gather(const Group& self, nb::handle x, int root) {
    const CallScope scope;
    const bool is_root = self->rank() == root;
    if (is_variable(x.ptr())) {
        const Variables all = parallel::gather(*self, variable_in(x.ptr()), root);
        return is_root ? nb::object(variables_of(all)) : variable_of(all[0]);
    }
    const Given given("gather", x);
    const std::vector<Array> all =
        beside_operations([&] { return self->gather(given.array, root); });
    return is_root ? nb::object(list_like(given, all)) : nb::none();
}

nb::list allgather(const Group& self, nb::handle x) {
    const CallScope scope;
    if (is_variable(x.ptr())) return variables_of(parallel::allgather(*self, variable_in(x.ptr())));
    const Given given("allgather", x);
    return list_like(given, beside_operations([&] { return self->allgather(given.array); }));
}

nb::list alltoall(const Group& self, nb::handle xs) {
    const CallScope scope;
    const GivenList list("alltoall", xs);
    if (!list.variables.empty()) return variables_of(parallel::alltoall(*self, list.variables));
    return list_like(list.given, beside_operations([&] { return self->alltoall(list.arrays()); }),
                     self->rank());
}

nb::object scatter(const Group& self, nb::handle xs, int root, bool variable) {
    const CallScope scope;
    std::optional<GivenList> list;
    if (self->rank() == root) {
        if (xs.is_none())
            fail<ValueError>("scatter: rank {} is the root, and gives no arrays", root);
        list.emplace("scatter", xs);
        if (variable)
            for (const Given& given : list->given) list->variables.emplace_back(given.array, false);
        if (!list->variables.empty())
            return variable_of(parallel::scatter(*self, list->variables, root));
    } else if (variable) {
        return variable_of(parallel::scatter(*self, {}, root));
    }
    const std::vector<Array> arrays = list ? list->arrays() : std::vector<Array>();
    const Array own = beside_operations([&] { return self->scatter(arrays, root); });
    return list ? list->given[size_t(root)].like(own) : as_ndarray(own);
}

nb::object reduce_scatter(const Group& self, nb::handle xs, const std::string& op) {
    const CallScope scope;
    const Reduction reduction = reduction_of(op);
    const GivenList list("reduce_scatter", xs);
    if (!list.variables.empty())
        fail<DtypeError>("reduce_scatter: has no gradient, so it takes arrays: x.array");
    const Array own =
        beside_operations([&] { return self->reduce_scatter(list.arrays(), reduction); });
    return list.given[size_t(self->rank())].like(own);
}

nb::object send(const Group& self, nb::handle x, int dest, int tag) {
    const CallScope scope;
    if (is_variable(x.ptr()))
        return variable_of(parallel::send(*self, variable_in(x.ptr()), dest, tag));
    const Given given("send", x);
    beside_operations([&] { self->send(given.array, dest, tag); });
    return nb::none();
}

nb::object recv(const Group& self, int source, int tag, bool variable, nb::handle delegate) {
    const CallScope scope;
    if (!variable && delegate.is_none())
        return as_ndarray(beside_operations([&] { return self->recv(source, tag); }));
    const Variable tied =
        delegate.is_none() ? Variable() : to_variable(delegate.ptr(), "recv", "delegate");
    return variable_of(parallel::recv(*self, source, tied, tag));
}

nb::object pseudo_connect(nb::handle delegate, nb::handle x) {
    const CallScope scope;
    return variable_of(
        parallel::pseudo_connect(to_variable(delegate.ptr(), "pseudo_connect", "delegate"),
                                 to_variable(x.ptr(), "pseudo_connect", "x")));
}

std::string_view content_of(nb::bytes bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

void bind_bytes(nb::class_<Group>& type) {
    type.def(
            "send_bytes",
            [](const Group& self, nb::bytes content, int dest, int tag) {
                const CallScope scope;
                beside_operations([&] { self->send_bytes(content_of(content), dest, tag); });
            },
            nb::arg("content"), nb::arg("dest"), nb::arg("tag") = 0,
            "Sends bytes to a rank; returns when they have been received.")
        .def(
            "recv_bytes",
            [](const Group& self, int source, int tag) {
                const CallScope scope;
                return as_bytes(beside_operations([&] { return self->recv_bytes(source, tag); }));
            },
            nb::arg("source"), nb::arg("tag") = 0, "The bytes that a rank sends.")
        .def(
            "bcast_bytes",
            [](const Group& self, nb::bytes content, int root) {
                const CallScope scope;
                return as_bytes(beside_operations(
                    [&] { return self->bcast_bytes(content_of(content), root); }));
            },
            nb::arg("content"), nb::arg("root") = 0,
            "Root's bytes, on every rank; only root's are read.")
        .def(
            "allgather_bytes",
            [](const Group& self, nb::bytes content) {
                const CallScope scope;
                nb::list list;
                for (const std::string& one :
                     beside_operations([&] { return self->allgather_bytes(content_of(content)); }))
                    list.append(as_bytes(one));
                return list;
            },
            nb::arg("content"), "The bytes of every rank, on every rank.");
}

}  // namespace

void bind_array_messages(nb::class_<Group>& type) {
    type.def("allreduce", allreduce, nb::arg("x"), nb::arg("op") = "sum",
             "The sum of x over all ranks, on every rank; op=\"mean\": the mean, of floats.")
        .def("bcast", bcast, nb::arg("x").none() = nb::none(), nb::arg("root") = 0, nb::kw_only(),
             nb::arg("variable") = false,
             "Root's x, on every rank; only root's is read. With `variable` the result is a "
             "Variable, whose\ngradient reaches root's.")
        .def(
            "gather", gather, nb::arg("x"), nb::arg("root") = 0,
            "A list of every rank's x, at root. Elsewhere None, and of a Variable a delegate, from "
            "which\nbackward begins there.")
        .def("allgather", allgather, nb::arg("x"),
             "A list of every rank's x, on every rank. All must have one shape and dtype.")
        .def("alltoall", alltoall, nb::arg("xs"),
             "Sends xs[i] to rank i; result[i] comes from rank i.")
        .def("scatter", scatter, nb::arg("xs").none() = nb::none(), nb::arg("root") = 0,
             nb::kw_only(), nb::arg("variable") = false,
             "Root's xs[i], on rank i; only root's are read. With `variable` the result is a "
             "Variable.")
        .def("reduce_scatter", reduce_scatter, nb::arg("xs"), nb::arg("op") = "sum",
             "On rank i, the sum of xs[i] over all ranks.")
        .def("send", send, nb::arg("x"), nb::arg("dest"), nb::arg("tag") = 0,
             "Sends x to a rank; returns when it has been received. Of a Variable it gives a "
             "delegate:\nbackward from it receives the gradient.")
        .def("recv", recv, nb::arg("source"), nb::arg("tag") = 0, nb::kw_only(),
             nb::arg("variable") = false, nb::arg("delegate").none() = nb::none(),
             "The array that a rank sends. With `variable`, or a delegate of an earlier send to be "
             "tied to it,\na Variable, whose gradient is sent back.");
    bind_bytes(type);
}

void bind_pseudo_connect(nb::module_& m) {
    m.def("pseudo_connect", pseudo_connect, nb::arg("delegate"), nb::arg("x"));
}

}  // namespace catena::python
