#pragma once

#include "frontend/catena.h"

namespace catena::models {

/// Three layers with ReLU between them: x [batch, in] to [batch, out].
struct Perceptron : Chain {
    Linear l1, l2, l3;
    Perceptron(int64_t in, int64_t hidden, int64_t out)
        : l1(in, hidden), l2(hidden, hidden), l3(hidden, out) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    Variable operator()(const Variable& x) { return l3(relu(l2(relu(l1(x))))); }
};

}  // namespace catena::models
