#pragma once

#include "runtime/ops/op.h"

namespace catena {

/// exp(x) / sum(exp(x)) along `axis`, computed with the maximum subtracted.
Variable softmax(const Operand& x, int64_t axis = 1);
/// x - log(sum(exp(x))) along `axis`, computed with the maximum subtracted.
Variable log_softmax(const Operand& x, int64_t axis = 1);

}  // namespace catena
