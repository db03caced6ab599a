#pragma once

#include "frontend/optimizer/optimizer.h"
#include "frontend/python/bind/types.h"

// The parts of the binding of optimizers.

namespace catena::python {

/// SGD, Adam, ...: each with its numbers as arguments and attributes.
void bind_update_rules(nb::module_& m);
/// Rules that are written in Python.
void bind_own_rules(nb::module_& m);
/// WeightDecay, GradientClipping, ...
void bind_hooks(nb::module_& m);
/// optimizer.update_rule(parameter).
void bind_parameter_rule(nb::module_& m, nb::class_<Optimizer>& optimizer);

}  // namespace catena::python
