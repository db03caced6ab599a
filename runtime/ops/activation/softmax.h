#pragma once

#include "runtime/graph/op.h"

namespace catena {

namespace functions {  // Objects keep their default arguments when passed to other functions, see
                       // activation.h.

struct Softmax {
    Variable operator()(const Operand& x, int64_t axis = 1) const;
};
struct LogSoftmax {
    Variable operator()(const Operand& x, int64_t axis = 1) const;
};

}  // namespace functions

/// (x, axis = 1): exp(x) over its sum along `axis`, computed with the maximum subtracted.
inline constexpr functions::Softmax softmax;
/// (x, axis = 1): x - log(sum(exp(x))) along `axis`, computed with the maximum subtracted.
inline constexpr functions::LogSoftmax log_softmax;

}  // namespace catena
