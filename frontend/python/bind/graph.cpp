#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/convert/types.h"
#include "frontend/python/bind/module.h"
#include "runtime/graph/call/inspect.h"
#include "runtime/graph/node/creator.h"
#include "runtime/graph/walk/gradient.h"

namespace catena::python {
namespace {

std::vector<Variable> variables_in(nb::handle object, const char* function, const char* argument) {
    std::vector<Variable> list;
    if (object.is_none()) return list;
    if (is_variable(object.ptr())) return {variable_in(object.ptr())};
    for (nb::handle part : object)
        list.push_back(part.is_none() ? Variable() : to_variable(part.ptr(), function, argument));
    return list;
}

nb::list grad_of(nb::object outputs, nb::object inputs, nb::object grad_outputs,
                 nb::object grad_inputs, bool set_grad, bool retain_grad,
                 bool enable_double_backprop, std::optional<double> loss_scale) {
    const CallScope scope;
    const Variables found =
        grad(variables_in(outputs, "grad", "outputs"), variables_in(inputs, "grad", "inputs"),
             variables_in(grad_outputs, "grad", "grad_outputs"),
             {.set_grad = set_grad,
              .retain_grad = retain_grad,
              .enable_double_backprop = enable_double_backprop,
              .loss_scale = loss_scale.value_or(1.0),
              .grad_inputs = variables_in(grad_inputs, "grad", "grad_inputs")});
    nb::list result;
    for (const Variable& gradient : found) result.append(nb::steal(new_variable(gradient)));
    return result;
}

void backward_of(nb::object outputs, nb::object grad_outputs, bool enable_double_backprop) {
    const CallScope scope;
    backward(variables_in(outputs, "backward", "outputs"),
             variables_in(grad_outputs, "backward", "grad_outputs"), enable_double_backprop);
}

/// Variables where somebody has them, else None.
nb::tuple creator_inputs(const Creator& creator) {
    nb::list list;
    for (const CreatorInput& input : creator.inputs())
        list.append(nb::steal(new_variable(input.variable)));
    return nb::tuple(list);
}
nb::tuple creator_outputs(const Creator& creator) {
    nb::list list;
    for (const Variable& output : creator.outputs()) list.append(nb::steal(new_variable(output)));
    return nb::tuple(list);
}

void bind_creator(nb::module_& m) {
    nb::class_<Creator>(m, "Creator", "The operation that made a Variable.")
        .def_prop_ro("label", &Creator::label, "Its name: \"exp\".")
        .def_prop_ro("rank", &Creator::rank, "Larger than that of every operation before it.")
        .def_prop_ro(
            "location", [](const Creator& c) { return to_string(c.location()); },
            "The line that called it.")
        .def_prop_ro("inputs", creator_inputs,
                     "Its arguments; None where nobody has them any more.")
        .def_prop_ro("outputs", creator_outputs,
                     "Its results; None where nobody has them any more.")
        .def(
            "__eq__", [](const Creator& a, const Creator& b) { return a == b; }, nb::is_operator());
    nb::class_<Variable> variable = nb::borrow<nb::class_<Variable>>(m.attr("Variable"));
    variable
        .def_prop_ro(
            "creator", [](const Variable& x) { return creator(x); },
            "The operation that made it; None of leaves, and where no graph is recorded.")
        .def_prop_ro("rank", &graph_rank, "0 of leaves, else that of its creator.")
        .def_prop_ro("label", &label, "Name, shape and dtype: \"x (2, 3), float32\".")
        .def("summary", &summary, "One line: name, type, device, and what made it.")
        .def("debug_print", &debug_print, "With mean and deviation of elements and gradient.")
        .def(
            "copydata", [](const Variable& to, const Variable& from) { copydata(to, from); },
            nb::arg("var"), "Takes the elements of another one, outside the graph.");
}

}  // namespace

void bind_graph(nb::module_& m) {
    bind_creator(m);
    m.def("grad", grad_of, nb::arg("outputs"), nb::arg("inputs"),
          nb::arg("grad_outputs") = nb::none(), nb::arg("grad_inputs") = nb::none(),
          nb::arg("set_grad") = false, nb::arg("retain_grad") = false,
          nb::arg("enable_double_backprop") = false, nb::arg("loss_scale") = nb::none(),
          "Gradients of outputs with respect to inputs, in order; None where none flows.\n\n"
          "Changes no other Variable's gradient. Missing grad_outputs are ones.");
    m.def("backward", backward_of, nb::arg("outputs"), nb::arg("grad_outputs") = nb::none(),
          nb::arg("enable_double_backprop") = false, "backward() from several outputs at once.");
}

}  // namespace catena::python
