#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/graph/op/op.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// Options of grad(); names and defaults as in Chainer.
struct GradOptions {
    bool set_grad = false;     ///< Whether the results are also stored as the inputs' gradients.
    bool retain_grad = false;  ///< Whether the gradients of intermediate variables are kept.
    bool enable_double_backprop = false;  ///< Whether the results can be differentiated again.
    double loss_scale = 1.0;              ///< A factor of the automatic start gradients.
    /// Start values of the inputs' gradients, to which the results are added. Empty, or one for
    /// each input, some undefined.
    std::vector<Variable> grad_inputs = {};
};

/// A list of Variables as an argument: `{y}`, `{x, W}`, a vector, a span. Never store one: it does
/// not own them.
class VariableList : public std::span<const Variable> {
public:
    VariableList() = default;
    /// A list of these variables, until the end of the statement.
    VariableList(std::initializer_list<Variable> variables);
    /// The variables of a vector, a span or another list.
    template <std::convertible_to<std::span<const Variable>> List>
    VariableList(const List& list) : span(list) {}
};

/// Gradients of `outputs` with respect to `inputs` (leaves or intermediate variables), in order;
/// undefined where no gradient flows. Runs only the graph between the two and changes no other
/// variable's gradient. Missing grad_outputs are ones; given ones must match in number and type.
///
///     auto gx = ct::grad({y}, {x}, {}, {.enable_double_backprop = true})[0];
Variables grad(const VariableList& outputs, const VariableList& inputs,
               const VariableList& grad_outputs = {}, const GradOptions& options = {});
/// The gradient of one output with respect to one input: `ct::grad(sum(y), x)`.
template <std::derived_from<Variable> Y, std::derived_from<Variable> X>
Variable grad(const Y& output, const X& input, const GradOptions& options = {}) {
    return grad(VariableList{output}, VariableList{input}, {}, options)[0];
}

/// backward() from several outputs at once. Every output needs a gradient in `grad_outputs` or set
/// on it.
void backward(const VariableList& outputs, const VariableList& grad_outputs = {},
              bool enable_double_backprop = false);

}  // namespace catena
