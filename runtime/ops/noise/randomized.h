#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// x where x >= 0, elsewhere r * x: r is drawn from [l, u) for every element in training mode, and
/// (l + u) / 2 otherwise (Xu et al. 2015). 0 <= l < u < 1.
Variable rrelu(const Operand& x, const Scalar& l = 1.0 / 8, const Scalar& u = 1.0 / 3);
/// With these r, in training mode.
Variable rrelu(const Operand& x, const Scalar& l, const Scalar& u, const Operand& r);
/// The slopes that rrelu draws for x.
Variable rrelu_slopes(const Operand& x, const Scalar& l = 1.0 / 8, const Scalar& u = 1.0 / 3);

/// softmax((log_pi + g) / tau) with g drawn from the Gumbel distribution, in any mode (Jang et al.
/// 2016).
Variable gumbel_softmax(const Operand& log_pi, const Scalar& tau = 0.1, int64_t axis = 1);

}  // namespace catena
