#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "frontend/link/parameter.h"
#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/foreign_object.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/types.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/state_content.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"

namespace catena::python {
namespace {

Array content_of(nb::handle data) {
    if (is_variable(data.ptr())) return content_for_state(variable_in(data.ptr()));
    if (is_ndarray(data.ptr())) return array_of(data.ptr());
    return array_from(data.ptr(), std::nullopt);
}

/// catena.initializers.Initializer: None, a number, or what fills an ndarray; not an array.
bool is_initializer(nb::handle data) {
    return data.is_none() || PyFloat_Check(data.ptr()) || PyLong_Check(data.ptr()) ||
           (PyCallable_Check(data.ptr()) && !is_variable(data.ptr()));
}

/// The elements are what a callable of Python writes into an ndarray of that type.
Initializer drawn_by(nb::handle fill) {
    std::optional<Dtype> dtype;
    if (const nb::object own = nb::getattr(fill, "dtype", nb::none()); !own.is_none())
        dtype = dtype_of(own.ptr());
    const std::shared_ptr<PyObject> held(fill.inc_ref().ptr(), release_reference);
    return Initializer(
        nb::cast<std::string>(nb::repr(fill)),
        [held](const Type& type) {
            const nb::gil_scoped_acquire lock;
            Array made = Array::zeros(type);
            nb::handle(held.get())(nb::steal(ndarray_of(made)));
            return made;
        },
        dtype);
}

void construct_parameter(nb::pointer_and_handle<Parameter> self, nb::object data,
                         std::optional<std::vector<int64_t>> shape,
                         std::optional<std::string> name) {
    if (!is_initializer(data)) {
        if (shape)
            fail<ValueError>("Parameter: an array has its shape; shape is for an initializer");
        new (self.p) Parameter(content_of(data), name.value_or(""));
        return;
    }
    const nb::object fill = nb::module_::import_("catena.initializers").attr("get")(data);
    // Known before anything is drawn: if that fails, nothing was made.
    const Initializer initializer = drawn_by(fill);
    if (shape)
        new (self.p) Parameter(initializer, Shape(*shape), name.value_or(""));
    else
        new (self.p) Parameter(initializer);
    if (name) self.p->set_name(std::move(*name));
    self.h.attr("initializer") = fill;
}

void construct_state(State* place, nb::object data, std::optional<std::string> name) {
    if (data.is_none())
        new (place) State();
    else
        new (place) State(content_of(data));
    if (name) place->set_name(std::move(*name));
}

void initialize_parameter(Parameter& self, const std::vector<int64_t>& shape) {
    self.initialize(shape);
}

/// New content, also of another type; what a file or another object holds.
void set_content(State& self, nb::object content) {
    const Array array = is_variable(content.ptr())  ? variable_in(content.ptr()).array()
                        : is_ndarray(content.ptr()) ? copied_array_of(content.ptr())
                                                    : array_from(content.ptr(), std::nullopt);
    bind_state(*self.body(), array.to(self.home()));
}

Variable assigned_variable(const State& self, const Variable& given) {
    const bool is_anothers =
        given.body() != self.body() && given.array().defined() && given.array().body()->owner;
    return is_anothers ? Variable(content_for_state(given), false) : given;
}

void assign_content(State& self, nb::object content) {
    const CallScope scope;
    const Dtype dtype = self.is_initialized() ? self.dtype() : config().dtype;
    Variable value =
        is_variable(content.ptr())  ? assigned_variable(self, variable_in(content.ptr()))
        : is_ndarray(content.ptr()) ? Variable(array_of(content.ptr()), false)
                                    : Variable(array_from(content.ptr(), dtype), false);
    if (self.is_initialized() && value.dtype() != dtype) value = value.astype(dtype);
    self = Operand(value, std::source_location());
}

}  // namespace

void bind_parameter(nb::module_& m) {
    nb::class_<State, Variable>(
        m, "State", nb::dynamic_attr(),
        "A Variable with an identity: modules save it, compiled programs read and replace its "
        "content.")
        .def("__init__", construct_state, nb::arg("data") = nb::none(),
             nb::arg("name") = nb::none())
        .def_prop_ro("is_initialized", &State::is_initialized,
                     "Whether it has a shape and elements already.")
        .def("assign", assign_content, nb::arg("value"),
             "New content of the same shape, outside the graph; a part of the program in a static "
             "region. Arrays that were read before keep theirs.")
        .def("_set_content", set_content, nb::arg("content"))
        .def(
            "to_device",
            [](State& self, const std::string& device) { self.to_device(get_device(device)); },
            nb::arg("device"), "Moves the present or the future content.");
    nb::class_<Parameter, State>(
        m, "Parameter",
        "A State that is learned: an optimizer replaces its content.\n\n"
        "Parameter(array) has these elements; an ndarray that may be written to shares its memory "
        "with it, and\nupdates are written there. Parameter(initializer, shape) is filled by an "
        "initializer of\ncatena.initializers (None: LeCunNormal; a number: that number), without a "
        "shape at\ninitialize(shape), when a layer knows it.")
        .def("__init__", construct_parameter, nb::arg("data") = nb::none(),
             nb::arg("shape") = nb::none(), nb::arg("name") = nb::none())
        .def("initialize", initialize_parameter, nb::arg("shape"),
             "Fills it by its initializer. ShapeError when it has another shape already.")
        .def_prop_rw("update_enabled", &Parameter::update_enabled, &Parameter::set_update_enabled,
                     "False: optimizers leave it as it is.")
        .def(
            "to_device",
            [](Parameter& self, const std::string& device) { self.to_device(get_device(device)); },
            nb::arg("device"), "Moves content and gradient.");
}

}  // namespace catena::python
