#pragma once

#include "runtime/graph/op/op.h"

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

/// (x, axis = 1): exp(x) divided by its sum along the axis, without overflow. Floats only.
/// - axis: Along which results add up to 1.
inline constexpr functions::Softmax softmax;
/// (x, axis = 1): x - log(sum(exp(x))), with the sum along the axis, without overflow: the
/// logarithm of softmax. Floats only.
/// - axis: Along which the exponentials are summed.
inline constexpr functions::LogSoftmax log_softmax;

}  // namespace catena
