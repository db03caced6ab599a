#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "frontend/link/parameter.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/ndarray.h"

namespace catena::python {
namespace {

void construct_parameter(Parameter* place, nb::object data, std::optional<std::string> name) {
    if (data.is_none()) {
        new (place) Parameter();
        if (name) place->set_name(std::move(*name));
        return;
    }
    Array array = is_variable(data.ptr())  ? variable_in(data.ptr()).array()
                  : is_ndarray(data.ptr()) ? array_of(data.ptr())
                                           : array_from(data.ptr(), std::nullopt);
    new (place) Parameter(std::move(array), name.value_or(""));
}

}  // namespace

void bind_parameter(nb::module_& m) {
    nb::class_<Parameter, Variable>(
        m, "Parameter", "A Variable that is learned: an optimizer replaces its content.")
        .def("__init__", construct_parameter, nb::arg("data") = nb::none(),
             nb::arg("name") = nb::none())
        .def_prop_ro("is_initialized", &Parameter::is_initialized)
        .def_prop_rw("update_enabled", &Parameter::update_enabled, &Parameter::set_update_enabled);
}

}  // namespace catena::python
