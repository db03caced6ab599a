#pragma once

#include "frontend/optimizer/optimizer.h"
#include "frontend/python/bind/convert/types.h"

// The parts of the binding of optimizers.

namespace catena::python {

// Operations read the numbers of rules and hooks at every call of a compiled program. Code of
// Python reads them only when it runs, so a region that skips its code must run it after a change.

/// A number that Python asks for.
double read_number(double number);
/// Tells the hook that Python sets a number, before it does.
void number_changes(double before, double after);
void set_number(Cell cell, double value);

/// SGD, Adam, ...: each with its numbers as arguments and attributes.
void bind_update_rules(nb::module_& m);
/// Rules that are written in Python.
void bind_own_rules(nb::module_& m);
/// Binds the hooks of optimizers: WeightDecay, GradientClipping, ...
void bind_hooks(nb::module_& m);
/// Binds optimizer.update_rule(parameter).
void bind_parameter_rule(nb::module_& m, nb::class_<Optimizer>& optimizer);

}  // namespace catena::python
