#pragma once

#include <string>

#include "frontend/python/bind/convert/types.h"
#include "frontend/static_graph/static_graph.h"

namespace catena::python {

/// StaticGraphOptions from the keyword arguments of jit(). TypeError naming what there is for
/// others, ValueError naming the choices.
StaticGraphOptions region_options(PyObject* keywords);

/// PackageOptions from the keyword arguments of save().
PackageOptions package_options(PyObject* keywords);

/// [(input, axis, name), ...]. TypeError saying so for anything else.
std::vector<OpenSize> open_sizes(nb::handle object);

}  // namespace catena::python
