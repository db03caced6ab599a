#pragma once

#include "frontend/link/connection/linear.h"

namespace catena {

/// Options of a Highway.
struct HighwayOptions {
    /// Whether there are no biases.
    bool nobias = false;
    /// The activation function; relu unless given.
    std::function<Variable(const Variable&)> activate = {};
    /// Initializer of plain's weights.
    Initializer init_Wh = {};
    /// Initializer of transform's weights.
    Initializer init_Wt = {};
    /// Initializer of plain's bias.
    Initializer init_bh = 0.0;
    /// Initializer of the gate's bias; -1 lets most of x through at first.
    Initializer init_bt = -1.0;
};

/// activate(plain(x)) t + x (1 - t) with t = sigmoid(transform(x)) (Srivastava et al. 2015,
/// arXiv:1505.00387).
class Highway : public Link {
public:
    /// A layer for rows of in_out_size elements.
    explicit Highway(int64_t in_out_size, const HighwayOptions& options = {});
    /// x [N, in_out_size] gives a result of the same shape.
    Variable operator()(const Operand& x);

    /// The transformation of x, and the share of it in the result.
    Linear plain, transform;

private:
    std::function<Variable(const Variable&)> activate_;
};

}  // namespace catena
