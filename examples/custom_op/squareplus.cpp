#include "squareplus.h"

#include <catena/runtime/ops/define/define.h>

namespace ct = catena;

// All there is to know of the operation: its formula, and the formula of its gradient.
static const ct::OpDef& op_squareplus =
    ct::elementwise<1, 1>("squareplus")
        .floats()
        .forward([](auto x, auto b) { return (x + sqrt(x * x + b)) * 0.5; })
        .gradient(
            [](auto x, auto b, auto, auto gy) { return gy * (1 + x / sqrt(x * x + b)) * 0.5; })
        .define();

ct::Variable squareplus(const ct::Operand& x, const ct::Scalar& b) {
    return ct::call(op_squareplus, x.location(), {}, {b}, x);
}
