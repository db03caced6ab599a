#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// x where x >= 0, elsewhere r * x: in training mode r is drawn from [l, u) for every element, in
/// test mode it is (l + u) / 2 (Xu et al. 2015, "Empirical Evaluation of Rectified Activations in
/// Convolutional Network"). Floats only; ValueError unless 0 <= l < u < 1.
/// - l: The least slope.
/// - u: The bound of slopes.
/// - return_r: Whether the slopes are returned, too.
/// - returns: The result; with return_r also the slopes.
Variable rrelu(const Operand& x, const Scalar& l = 1.0 / 8, const Scalar& u = 1.0 / 3);
/// - r: Slopes of x's shape and dtype, in place of drawn ones, in training mode.
Variable rrelu(const Operand& x, const Scalar& l, const Scalar& u, const Operand& r);
/// The slopes that rrelu draws for x.
Variable rrelu_slopes(const Operand& x, const Scalar& l = 1.0 / 8, const Scalar& u = 1.0 / 3);

/// softmax((log_pi + g) / tau), with g from the Gumbel distribution, in training and test mode: a
/// draw of a class that gradients flow through (Jang et al. 2016, "Categorical Reparameterization
/// with Gumbel-Softmax"). Floats only.
/// - log_pi: The logarithms of the classes' probabilities.
/// - tau: The temperature: the lower, the nearer to one class alone.
/// - axis: Along which the classes lie.
Variable gumbel_softmax(const Operand& log_pi, const Scalar& tau = 0.1, int64_t axis = 1);

}  // namespace catena
