#pragma once

#include <string>

#include "frontend/catena.h"

namespace catena::testing {

/// A network with dropout, batch normalisation's statistics and Adam's moments, so that all kinds
/// of states are there.
struct Net : Chain {
    Linear l1, l2{16, 3};
    BatchNormalization bn{16};
    explicit Net(bool bias = true) : l1(6, 16, {.nobias = !bias}) {
        add_children({{"l1", l1}, {"bn", bn}, {"l2", l2}});
    }
    Variable operator()(const Variable& x) { return l2(dropout(relu(bn(l1(x))), 0.25)); }
};

inline Variable batch(int number, int64_t rows) {
    std::vector<float> values(size_t(rows * 6));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float((i * 37 + size_t(number) * 101) % 64) / 32 - 1;
    return Variable(Array::from(values, {rows, 6}), false);
}

inline Variable labels(int number, int64_t rows) {
    std::vector<int32_t> values(static_cast<size_t>(rows));
    for (size_t i = 0; i < values.size(); ++i) values[i] = int32_t((i + size_t(number)) % 3);
    return Variable(Array::from(values, {rows}), false);
}

/// A training step that lives as long as this.
struct Training {
    Net net;
    Adam adam;
    /// Without a `bias` before the normalization, whose gradient is rounding errors alone.
    explicit Training(bool bias = true) : net(bias) {
        adam.setup(net);
        adam.add_hook(GradientClipping(1.0));
    }
    Variable operator()(const Variable& x, const Variable& t) {
        Variable loss = softmax_cross_entropy(net(x), t);
        net.cleargrads();
        loss.backward();
        adam.update();
        return loss;
    }
};

/// A file that no other test has.
std::string temporary(const std::string& name);

}  // namespace catena::testing
