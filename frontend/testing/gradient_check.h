#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "frontend/testing/assert_allclose.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// A function under test: it is called with one Variable for each array.
using TestedFunction = std::function<Variables(std::span<const Variable>)>;

/// Gradients of sum(f(xs) * grad_outputs) by central differences, element by element: (f(x + eps) -
/// f(x - eps)) / 2 eps. They have the xs' dtypes, and are undefined for arrays that are no floats.
std::vector<Array> numerical_grad(const TestedFunction& f, const std::vector<Array>& xs,
                                  const std::vector<Array>& grad_outputs, double eps = 1e-3);

/// Options of the checks; names and defaults as in Chainer, whose tolerances are for float32.
struct GradientCheck {
    double eps = 1e-3;
    double atol = 1e-5;
    double rtol = 1e-4;
    std::vector<Variable> params =
        {};  ///< Further leaves that f reads, whose gradients are checked, too.
    std::vector<size_t> no_grads = {};  ///< Indices of xs that are not checked.
    /// The dtype to compute in: float64 shows small mistakes. f must then compute in its inputs'
    /// dtype.
    std::optional<Dtype> dtype = {};
    int directions = 2;  ///< Number of random directions along which the slope is compared.
};
/// Compares the gradients of f's backward with slopes of f. CheckError with both numbers if they
/// differ, or if no gradient flows to an input. An undefined y_grad is ones.
void check_backward(const TestedFunction& f, const std::vector<Array>& xs,
                    const std::vector<Array>& y_grads, const GradientCheck& options = {},
                    const std::source_location& at = std::source_location::current());

/// Compares the gradients of f's gradients, which must be written with functions, with slopes of
/// the gradients. x_grad_grads are like xs; atol is 1e-4 and rtol 1e-3 at least.
void check_double_backward(const TestedFunction& f, const std::vector<Array>& xs,
                           const std::vector<Array>& y_grads,
                           const std::vector<Array>& x_grad_grads,
                           const GradientCheck& options = {},
                           const std::source_location& at = std::source_location::current());

}  // namespace catena
