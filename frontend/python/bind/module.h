#pragma once

#include <nanobind/nanobind.h>

// The parts of the module, each in a file of its own, in the order in which they are bound.

namespace catena::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_variable(nb::module_& m);
void bind_parameter(nb::module_& m);
void bind_members(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_functions(nb::module_& m);
void bind_dlpack(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_random(nb::module_& m);
void bind_region(nb::module_& m);
void bind_program(nb::module_& m);
void bind_user_function(nb::module_& m);
void bind_forget(nb::module_& m);
void bind_optimizer(nb::module_& m);
void bind_distributed(nb::module_& m);
void bind_files(nb::module_& m);
void bind_symbol(nb::module_& m);
void bind_elementwise(nb::module_& m);

}  // namespace catena::python
