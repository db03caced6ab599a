#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// A product of two inputs: y[n, l] = the sum of e1[n, j] * e2[n, k] * W[j, k, l] over j and k; (N,
/// L). Floats only; ShapeError where sizes do not agree. Chainer's function.
/// - e1: (N, J); further axes are flattened.
/// - e2: (N, K); further axes are flattened.
/// - W: (J, K, L).
Variable bilinear(const Operand& e1, const Operand& e2, const Operand& W);
/// With V1, V2 and b, which are given together, the bilinear product plus e1 V1 + e2 V2 + b.
/// - V1: (J, L).
/// - V2: (K, L).
/// - b: (L).
Variable bilinear(const Operand& e1, const Operand& e2, const Operand& W, const Operand& V1,
                  const Operand& V2, const Operand& b);

}  // namespace catena
