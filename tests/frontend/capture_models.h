#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "frontend/catena.h"
#include "runtime/graph/call/recorder.h"
#include "tests/support/beside.h"

namespace catena::testing {

/// The same numbers in every run, others for every `number`.
inline Variable batch(int number, int64_t rows, int64_t columns, Dtype dtype = Dtype::float32) {
    std::vector<double> values(size_t(rows * columns));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.7 * double(i) + 3.1 * number);
    return Variable(Array::from(values, {rows, columns}).astype(dtype), false);
}

inline Variable labels(int number, int64_t rows, int classes) {
    std::vector<int32_t> values(static_cast<size_t>(rows));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = int32_t((5 * i + 3 * size_t(number)) % size_t(classes));
    return Variable(Array::from(values, {rows}), false);
}

inline Variable doubles(const std::vector<double>& v, bool requires_grad = true) {
    return Variable(Array::from(v, Shape{int64_t(v.size())}), requires_grad);
}

struct Mlp : Chain {
    Linear l1{3, 4}, l2{4, 3};
    Mlp() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(tanh(l1(x))); }
};

/// With everything that has a state of its own.
struct NoisyNet : Chain {
    // A bias before a normalisation has no gradient but rounding, which Adam would make large.
    Linear l1{3, 6, {.nobias = true}};
    BatchNormalization bn{6};
    Linear l2{6, 3};
    NoisyNet() { add_children({{"l1", l1}, {"bn", bn}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(dropout(relu(bn(l1(x))), 0.3)); }
};

struct RecurrentNet : Chain {
    LSTM lstm{3, 4};
    Linear out{4, 3};
    RecurrentNet() { add_children({{"lstm", lstm}, {"out", out}}); }
    Variable operator()(const Variable& x) { return out(lstm(x)); }
};

/// Clears, goes back, updates: the whole of an ordinary step after its loss.
inline void learn(const Link& model, Optimizer& optimizer, const Variable& loss) {
    model.cleargrads();
    loss.backward();
    optimizer.update();
}

}  // namespace catena::testing
