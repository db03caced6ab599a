#pragma once

#include <utility>

#include "runtime/graph/op.h"

namespace catena {

struct LstmResult {
    Variable c, h;
};

/// One step of LSTM. x [n, 4 units] holds the gates a, i, f, o of each unit interleaved;
/// c = tanh(a) sigmoid(i) + c_prev sigmoid(f), h = sigmoid(o) tanh(c). c_prev may have more rows
/// than x: these are copied to c, and h has n rows.
LstmResult lstm(const Operand& c_prev, const Operand& x);

}  // namespace catena
