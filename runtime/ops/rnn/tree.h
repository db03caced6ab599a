#pragma once

#include "runtime/ops/rnn/rnn.h"

namespace catena {

/// A node of a tree over two children with inputs of their own (Zhu et al. 2015, "Long Short-Term
/// Memory Over Tree Structures"): c = tanh(a1) s(i1) + tanh(a2) s(i2) + s(f1) c_prev1 + s(f2)
/// c_prev2 and h = s(o1 + o2) tanh(c), where s is sigmoid. Floats of one dtype.
/// - c_prev1, c_prev2: The children's cells, (n, units).
/// - x1, x2: The gates a, i, f and o of each unit, interleaved: (n, 4 * units).
/// - returns: c and h, (n, units).
LstmResult slstm(const Operand& c_prev1, const Operand& c_prev2, const Operand& x1,
                 const Operand& x2);

/// A node of a tree over any number of children (Tai et al. 2015, "Improved Semantic
/// Representations From Tree-Structured Long Short-Term Memory Networks"): c = tanh(a) * sigmoid(i)
/// + the sum of sigmoid(f_k) * c_k and h = sigmoid(o) * tanh(c). Floats of one dtype.
/// - inputs: The cells of each child, (n, units); then x, (n, (3 + children) * units), which holds
///   the gates a, i, o and an f for each child, one after the other.
/// - returns: c and h, (n, units).
LstmResult tree_lstm(std::span<const Variable> cs, const Operand& x);

}  // namespace catena
