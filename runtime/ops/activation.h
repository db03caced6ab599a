#pragma once

#include <optional>
#include <string_view>

#include "runtime/ops/op.h"

namespace catena {

// Elementwise nonlinearities; float dtypes only, but for clip. NaN stays NaN.

Variable relu(const Operand& x);  ///< max(0, x); the gradient at 0 is 0.
Variable leaky_relu(const Operand& x, const Scalar& slope = 0.2);  ///< x if x >= 0 else slope * x.
/// x if x > 0 else alpha * (exp(x) - 1).
Variable elu(const Operand& x, const Scalar& alpha = 1.0);
/// scale * elu(x, alpha).
Variable selu(const Operand& x, double alpha = 1.6732632423543772,
              double scale = 1.0507009873554805);
/// x * P(N(0,1) <= x): exact with approximate "none", by tanh with "tanh".
Variable gelu(const Operand& x, std::string_view approximate = "none");
Variable sigmoid(const Operand& x);
Variable silu(const Operand& x);  ///< x * sigmoid(x).
/// x * sigmoid(beta * x); beta has the leading shape of x without its batch axis.
Variable swish(const Operand& x, const Operand& beta);
/// log(1 + exp(beta * x)) / beta without overflow.
Variable softplus(const Operand& x, const Scalar& beta = 1.0);
/// min(max(0, x), z); the gradient is 0 at both ends.
Variable clipped_relu(const Operand& x, double z = 20.0);
Variable relu6(const Operand& x);
/// min(max(0.2 * x + 0.5, 0), 1).
Variable hard_sigmoid(const Operand& x);
/// Between x_min and x_max; none: no bound. The gradient at a bound is 1.
Variable clip(const Operand& x, const std::optional<Scalar>& x_min,
              const std::optional<Scalar>& x_max);
/// x if x >= 0 else W * x; W has the leading shape of x without its batch axis.
Variable prelu(const Operand& x, const Operand& W);
/// relu(x) and relu(-x), joined along the axis.
Variable crelu(const Operand& x, int64_t axis = 1);
/// The largest of each `pool_size` neighbours along the axis.
Variable maxout(const Operand& x, int64_t pool_size, int64_t axis = 1);

}  // namespace catena
