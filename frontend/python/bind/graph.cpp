#include <nanobind/stl/optional.h>

#include "frontend/python/bind/call.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/operand.h"
#include "frontend/python/bind/types.h"
#include "runtime/graph/gradient.h"

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

}  // namespace

void bind_graph(nb::module_& m) {
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
