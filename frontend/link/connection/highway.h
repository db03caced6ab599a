#pragma once

#include "frontend/link/connection/linear.h"

namespace catena {

struct HighwayOptions {
    bool nobias = false;
    /// The activation function; relu unless given.
    std::function<Variable(const Variable&)> activate = {};
    Initializer init_Wh = {};
    Initializer init_Wt = {};
    Initializer init_bh = 0.0;
    /// Initializer of the gate's bias; -1 lets most of x through at first.
    Initializer init_bt = -1.0;
};

/// activate(plain(x)) t + x (1 - t) with t = sigmoid(transform(x)) (Srivastava et al. 2015,
/// arXiv:1505.00387).
class Highway : public Link {
public:
    explicit Highway(int64_t in_out_size, const HighwayOptions& options = {});
    Variable operator()(const Operand& x);

    Linear plain, transform;

private:
    std::function<Variable(const Variable&)> activate_;
};

}  // namespace catena
