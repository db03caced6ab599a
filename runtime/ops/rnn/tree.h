#pragma once

#include "runtime/ops/rnn/rnn.h"

namespace catena {

/// A node of a tree over two children with inputs of their own (Zhu et al. 2015): x1 and x2 [n, 4
/// units] hold the gates a, i, f and o of each unit interleaved; c = tanh(a1) sigmoid(i1) +
/// tanh(a2) sigmoid(i2) + sigmoid(f1) c_prev1 + sigmoid(f2) c_prev2, h = sigmoid(o1 + o2) tanh(c).
LstmResult slstm(const Operand& c_prev1, const Operand& c_prev2, const Operand& x1,
                 const Operand& x2);

/// A node over any number of children (Tai et al. 2015): x [n, (3 + children) units] holds the
/// gates a, i, o and an f for each child, one after the other; c = tanh(a) sigmoid(i) + sum of
/// sigmoid(f_k) c_k, h = sigmoid(o) tanh(c).
LstmResult tree_lstm(std::span<const Variable> cs, const Operand& x);

}  // namespace catena
