#pragma once

#include <span>

#include "runtime/graph/variable.h"
#include "runtime/ops/op.h"

namespace catena {

/// Options of grad(); names and defaults as in Chainer.
struct GradOptions {
    bool set_grad = false;                ///< Also store the results as the inputs' gradients.
    bool retain_grad = false;             ///< Keep the gradients of intermediate variables.
    bool enable_double_backprop = false;  ///< The results can be differentiated again.
    double loss_scale = 1.0;              ///< Multiplies the automatic start gradients.
};

/// Gradients of `outputs` with respect to `inputs` (leaves or intermediate variables), in order; undefined where
/// no gradient flows. Runs only the graph between the two and changes no other variable's gradient. Missing
/// grad_outputs are ones; given ones must match in number and type.
Variables grad(std::span<const Variable> outputs, std::span<const Variable> inputs,
               std::span<const Variable> grad_outputs = {}, const GradOptions& options = {});

/// backward() from several outputs at once. Every output needs a gradient in `grad_outputs` or set on it.
void backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs = {},
              bool enable_double_backprop = false);

}  // namespace catena
