#pragma once

#include <utility>

#include "runtime/graph/op/op.h"

namespace catena {

/// The states after a step.
struct LstmResult {
    /// The cells c and the output h.
    Variable c, h;
};

/// One step of long short-term memory (Hochreiter and Schmidhuber 1997): c = tanh(a) * sigmoid(i) +
/// c_prev * sigmoid(f) and h = sigmoid(o) * tanh(c). Floats of one dtype. Chainer's function.
/// - c_prev: The cells before, (B, units); it may have more rows than x, which are copied to c.
/// - x: The gates a, i, f and o of each unit, interleaved: (n, 4 * units), n <= B.
/// - returns: c, of c_prev's shape, and h, (n, units).
LstmResult lstm(const Operand& c_prev, const Operand& x);

}  // namespace catena
