#pragma once

#include "runtime/graph/op.h"

namespace catena {

/// y_l = sum over j and k of e1_j e2_k W_jkl, for each sample of e1 [N, J] and e2 [N, K]; further
/// axes are flattened. W is [J, K, L].
Variable bilinear(const Operand& e1, const Operand& e2, const Operand& W);
/// The same plus e1 V1 + e2 V2 + b: V1 [J, L], V2 [K, L], b [L].
Variable bilinear(const Operand& e1, const Operand& e2, const Operand& W, const Operand& V1,
                  const Operand& V2, const Operand& b);

}  // namespace catena
